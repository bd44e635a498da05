"""The product on a real kernel in a virtual machine, with the table's wires as devices: `python -m tests.machine`."""
