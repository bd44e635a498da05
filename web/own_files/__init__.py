"""Pages on which hosts make files of their own boxes: each game that has such files may bring an editor for them."""
