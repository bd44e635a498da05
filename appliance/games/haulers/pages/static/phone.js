// The phone needs no script of its own: what is secret shows while a thumb is on it, by style alone.
