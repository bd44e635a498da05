"""The rules of Porters; pure."""
