"""What a power cut, a kill and a small disk leave of what was acknowledged."""
