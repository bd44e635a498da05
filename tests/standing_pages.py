"""The pages round the games, each with something on it, as the screens get them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

STANDING: dict[str, Callable[[Path], Iterator[list[Any]]]] = {}
