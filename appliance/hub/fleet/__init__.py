"""Many tables on one machine: robots play through real journals and real outboxes, without sensors."""
