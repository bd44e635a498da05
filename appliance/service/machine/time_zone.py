"""The time zone of this machine, by the name that browsers know it by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*")


def time_zone(environ: Mapping[str, str], link: Path = Path("/etc/localtime")) -> str:
    """Return the name of the zone in the IANA database, such as `Europe/Berlin`; "" where none can be found.

    :param environ: its `TZ` goes before the machine's own zone, as in libc.
    :param link: names the zone's file in a folder `zoneinfo`.
    """
    name = environ.get("TZ", "").removeprefix(":")
    if not name:
        try:
            name = str(link.readlink()).partition("zoneinfo/")[2]
        except OSError:
            return ""
    return name if _NAME.fullmatch(name) else ""
