"""The load cell: HX711 driver, health, and weighing, which turns counts into settled masses."""
