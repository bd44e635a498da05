"""The package as an owner meets it: what lies in it, its scripts, and booted Debian systems (`make deb-proof`)."""
