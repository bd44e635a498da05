"""Many simulated tables on one machine: robots play, with real journals and real outboxes, without sensors."""
