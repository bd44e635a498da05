"""Raw senses in one file: format, writer, reader."""
