from __future__ import annotations

from tests.web.conftest import stand

__all__ = ["stand"]
