"""Computer vision: turns pictures and frames into observations. Nothing here opens a camera."""
