"""The SPI bus, and the strip of lights on it."""
