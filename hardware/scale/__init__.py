"""The load cell: HX711 driver, health, and settled masses from counts."""
