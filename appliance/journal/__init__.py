"""What was played, kept: the append-only store, its fold, corrections, transcripts and copies."""
