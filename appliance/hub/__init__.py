"""Many tables: the messages that tables send to a hub, and the hub that stores them. A table works without a hub."""
