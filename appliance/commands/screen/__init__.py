"""The screen of a terminal: lines that are wrapped, and lines that are drawn again and again."""
