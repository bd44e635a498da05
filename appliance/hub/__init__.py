"""From one table to many: what tables send a hub, and the hub that keeps it. A table never needs one."""
