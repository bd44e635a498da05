"""The table: its thread, the open game, the pending advice of the referee, dice and the broadcast of snapshots."""
