"""Known balls and putties: fit, guide, report."""
