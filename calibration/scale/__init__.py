"""The scale: fit, noise, creep, guide, report."""
