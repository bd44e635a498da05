"""`smugglers calibrate`: one module per subcommand."""
