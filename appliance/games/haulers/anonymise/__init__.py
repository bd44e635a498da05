"""The same public game of Haulers with other secret cards, for exports."""
