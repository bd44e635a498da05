"""One module per `smugglers` command; each exposes a click `command`."""
