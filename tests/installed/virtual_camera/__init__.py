"""Picamera2 itself, on libcamera's `virtual` pipeline, under the product's own camera driver."""
