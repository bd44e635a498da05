"""The web scoreboard: pages, live updates and the API. It knows no game."""
