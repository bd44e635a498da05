"""The objects on the simulated table and their motion."""
