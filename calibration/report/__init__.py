"""Pages and plots of calibrations."""
