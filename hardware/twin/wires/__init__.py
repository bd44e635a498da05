"""The simulated pins and the simulated HX711 that the real drivers talk to."""
