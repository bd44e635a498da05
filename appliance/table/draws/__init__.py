"""Random draws of the appliance, and how they are verified."""
