"""Computer vision: pictures and frames become observations. Nothing here opens a camera."""
