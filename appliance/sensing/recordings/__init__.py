"""Raw sensor data in a file: recording and replay."""
