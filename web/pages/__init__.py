"""What pages show: the values that templates use, the regions of live pages, the pages of games without own ones."""
