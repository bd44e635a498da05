"""One file per device: what a wire says becomes a reading."""
