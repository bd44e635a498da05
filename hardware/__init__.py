"""Device drivers, device models and the readings they give; and the simulated table behind the drivers."""
