"""The pipeline from raw edges, samples and frames to readings."""
