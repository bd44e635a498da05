"""Odds and Ends: a game of the tests that asks for every kind of field, alone and together, and has no pages."""
