"""A program in a network of its own: real addresses and routes, and no other machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.places import ROOT

_IN_ITS_NETWORK = """
ip link add wlan9 type veth peer name air9 && echo 0 >/proc/sys/net/ipv6/conf/wlan9/accept_dad || exit 77
ip link set lo up && ip link set wlan9 up && ip link set air9 up || exit 77
for address in $2; do
    case $address in *:*) check=nodad ;; *) check= ;; esac
    ip address add "$address" dev wlan9 $check || exit 77
done
exec "$1" -c "$3"
"""
needs_own_network = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None, reason="needs root and ip: a network of its own"
)


def printed(program: str, *addresses: str) -> str:
    """Return what a Python program prints on a machine whose only link has `addresses`, and no route further."""
    words = ["sh", "-c", _IN_ITS_NETWORK, "sh", sys.executable, " ".join(addresses), program]
    done = subprocess.run(["unshare", "--net", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip(f"no network of its own here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
