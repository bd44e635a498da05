"""What is on the simulated table, and how it moves."""
