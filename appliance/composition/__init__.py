"""Composition roots: from settings to a table or a hub that runs, with its pages. Nothing but commands imports them."""
