"""Who asks, and what they may do: seats and phones, PINs, the checks of every request, each address's share."""
