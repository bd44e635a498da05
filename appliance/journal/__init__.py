"""The journal: an append-only store of games, its fold, corrections, transcripts and copies."""
