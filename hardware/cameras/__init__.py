"""Camera drivers behind one protocol, and the model of lens and pose."""
