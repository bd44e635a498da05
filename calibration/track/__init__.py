"""The camera's pose and the lanes: fit, guide, report."""
