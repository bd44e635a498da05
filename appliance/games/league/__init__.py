"""The league: who plays how well, over many games and many tables. Pure: it takes results and gives standings."""
