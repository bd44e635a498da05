"""Runs a command as somebody who may not enter or write every folder, also where the tests run as root."""

from __future__ import annotations

import os
import shutil

import pytest

CONFINED = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
    if os.geteuid() == 0
    else ()
)
"""Begins the command."""
can_be_confined = pytest.mark.skipif(
    os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may enter any folder, and there is no setpriv"
)
