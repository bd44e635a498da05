"""Fits, their stored results, the guided procedures and their reports."""
