"""The simulated table (the twin) behind the real drivers.

`world` is what is on the table and how it moves. `drawing` makes pictures of it, `wires` connects it to the drivers'
pins, `cameras` are the cameras over it. `faults` are what can go wrong, and `simulation` moves everything along.
"""
