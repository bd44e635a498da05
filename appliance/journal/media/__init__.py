"""Media beside the card, such as USB sticks: files on them, and what to do when one hangs."""
