"""What runs inside the virtual machine, as the guest's root: the product's drivers on the kernel's devices."""
