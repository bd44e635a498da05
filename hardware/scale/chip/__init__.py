"""Drivers of the HX711 chip: on pins, on an SPI bus, and through the kernel's driver."""
