"""The data folded from envelopes: games, results, ratings. All of it can be dropped and folded again."""
