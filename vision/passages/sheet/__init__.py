"""From a frame to the coloured blobs in the lanes: a sheet of cells, their background, and what differs from it."""
