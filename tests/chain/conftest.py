"""What a hub's pages are tested with stands here, too."""

from __future__ import annotations

from tests.web.hub.conftest import hub, migrated

__all__ = ["hub", "migrated"]
