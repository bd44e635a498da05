"""What is folded from envelopes: games, results, ratings. All of it can be dropped and made anew."""
