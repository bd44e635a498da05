"""The rules of Customs (RULES §4): pure."""
