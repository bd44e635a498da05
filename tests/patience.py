"""How long tests wait for what must come."""

GIVEN_UP_S = 300.0
"""When a wait counts as a hang. It is far above what eight busy processes beside the tests make of any wait."""
GIVEN_UP_MS = 1000 * GIVEN_UP_S
