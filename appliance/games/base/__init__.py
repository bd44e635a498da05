"""Parts that games share, apart from rules."""
