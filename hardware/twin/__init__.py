"""The simulated table (the twin) behind the real drivers.

`world` holds the objects on the table and their motion. `drawing` renders pictures of it, `wires` connects it to the
drivers' pins, `cameras` are the cameras over it. `faults` lists the faults that can be simulated, and `simulation`
advances everything in time.
"""
