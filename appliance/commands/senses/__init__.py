"""`smugglers see`, `smugglers weigh` and `smugglers record`: what the senses give, without a game."""
