"""Sheets to print at 1:1 for building a table, and the drawings of the building instructions."""
