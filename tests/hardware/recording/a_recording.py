"""A recording of the simulated table, and the head of one that a test writes."""

from __future__ import annotations

from hardware.recording.recording_format import Head
from tests.places import RECORDINGS

SENSES = RECORDINGS / "senses"
RECORDED = SENSES / "pass-weigh-and-stick.rec"
HEAD = Head(made_utc="2026-05-01T00:00:00+00:00", hardware="twin", picture="whole", consent="yes", calibration={})
