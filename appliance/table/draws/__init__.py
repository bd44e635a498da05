"""Chance that is fair and can be checked: what the appliance draws, and how it is drawn again."""
