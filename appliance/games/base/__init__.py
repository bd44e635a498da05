"""Parts beside the rules that games share."""
