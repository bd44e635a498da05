"""Turns sensor readings into proposed actions of Smugglers."""
