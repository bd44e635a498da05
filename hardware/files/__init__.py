"""Files: reading and writing ordinary ones safely, TOML, and what is kept of a compilation."""
