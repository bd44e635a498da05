"""A picture of the slot behind the lanes -> where the boss stands."""
