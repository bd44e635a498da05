"""A picture of the pan -> the sphere's outline, size and colour."""
