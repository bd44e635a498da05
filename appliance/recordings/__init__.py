"""Raw senses in a file: recording them and replaying them."""
