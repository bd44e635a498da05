"""The same public game of Prohis with other secret cards, for exports."""
