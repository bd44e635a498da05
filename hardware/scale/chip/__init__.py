"""The HX711 itself, clocked through pins or an SPI bus."""
