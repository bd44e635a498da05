"""The demonstration: robot players and simulated hands that roll and weigh."""
