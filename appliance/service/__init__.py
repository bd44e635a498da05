"""The running process: composition root, lifecycle, notification of systemd, limits of memory and threads."""
