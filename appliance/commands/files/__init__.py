"""`smugglers files`: one module per subcommand."""
