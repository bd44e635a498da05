"""The scale's child process: it reads the load cell and sends reports; the parent monitors it."""
