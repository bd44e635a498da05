"""The people of a hub: accounts of cafés and the chain, guests with a nickname and a code, league nights."""
