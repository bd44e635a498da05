"""What the table keeps of its guests, and the results of what they played here."""
