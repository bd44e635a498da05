"""Pages on which hosts create files for their own game boxes. A game that has such files may bring an editor."""
