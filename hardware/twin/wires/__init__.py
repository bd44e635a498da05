"""The pins and chips of the simulated table."""
