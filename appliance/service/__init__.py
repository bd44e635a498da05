"""The running process: composition root, lifecycle, what the init system is told."""
