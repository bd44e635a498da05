"""The table: its thread, the open game, the pending advice of the referee and the broadcast of snapshots."""
