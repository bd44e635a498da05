"""The running process: lifecycle, init system, limits of memory and threads, and what other programs are told."""
