"""What the installed table asks of its machine: network, touchscreen, and what the last upgrade left to say."""
