"""The camera's lens: fit, guide, report."""
