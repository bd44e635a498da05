"""Help for people who have never played: what to do now, and lessons in the first round."""
