"""From blobs to spheres: which blob belongs to which sphere, and what one sphere does."""
