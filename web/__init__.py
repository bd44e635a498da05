"""The web scoreboard: pages, live updates and the API."""
