"""The simulated evening: robot players and the hands that roll and weigh for them."""
