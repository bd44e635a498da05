"""The open game: what is done in it, advised in it and corrected in it."""
