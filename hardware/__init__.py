"""Device drivers, device models and their readings, and the simulated table behind the drivers."""
