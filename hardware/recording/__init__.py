"""Recordings of raw sensor data in one file: format, writer, reader."""
