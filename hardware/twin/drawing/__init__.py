"""Pictures of the simulated table."""
