"""The drivers of one table, real or simulated, and what tests them."""
