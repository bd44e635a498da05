"""Sheets to print at 1:1 for the making of a table, and the drawings of its building instructions."""
