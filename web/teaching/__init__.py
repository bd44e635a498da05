"""What helps people along who have never played: what is to be done now, and their first round explained."""
