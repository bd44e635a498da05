"""From the wires and frames to readings."""
