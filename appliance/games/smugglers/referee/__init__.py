"""From readings to proposed actions of Smugglers."""
