"""Beam-breaks: drivers, health, and passages from edges."""
