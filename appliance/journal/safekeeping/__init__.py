"""Protects the journal against disk damage: keeps copies, detects losses, restores the last good state."""
