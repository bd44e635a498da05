"""Every operation of the API with whatever its document allows and forbids, as a stranger, a phone and the touchscreen.

Requests are made by schemathesis, which `make fuzz` installs.
"""

from __future__ import annotations

import itertools
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.test_fuzz import SECONDS
from tests.web.stand import Stand

schemathesis = pytest.importorskip("schemathesis", reason="`make fuzz` installs it")
pytestmark = [pytest.mark.slow, pytest.mark.fuzz]

SENDERS = ("stranger", "phone", "kiosk")
CHUNK = 25
BROKEN = 500


def client_of(stand: Stand, sender: str) -> FlaskClient:
    return {"stranger": stand.stranger, "phone": lambda: stand.phone(1), "kiosk": stand.kiosk}[sender]()


def sent(client: FlaskClient, case: Any) -> Any:
    """Send what schemathesis made, by the client of the sender."""
    unset = type(case.body).__name__ == "NotSet"
    data = None if unset else case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
    headers = {str(name): str(value) for name, value in dict(case.headers or {}).items()}
    headers = {
        n: v for n, v in headers.items() if n.isascii() and v.isascii() and "\n" not in n + v and "\r" not in n + v
    }
    headers.pop("Host", None)
    return client.open(
        case.formatted_path if hasattr(case, "formatted_path") else case.path,
        method=case.method,
        query_string={str(name): value for name, value in dict(case.query or {}).items()},
        data=data,
        headers=headers,
        content_type=None if unset else case.media_type or "application/json",
    )


def throw(client: FlaskClient, cases: Any, outcomes: Counter[str]) -> None:
    """Send some of the cases, and judge the answers."""

    @given(case=cases)
    @settings(
        max_examples=CHUNK,
        derandomize=False,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    def one(case: Any) -> None:
        answer = sent(client, case)
        outcomes[str(answer.status_code)] += 1
        assert answer.status_code < BROKEN, (case.method, case.path, answer.data)
        if answer.status_code >= 400:
            assert set(answer.json) == {"code", "message", "rule"}, answer.data
            assert answer.json["message"].rstrip().endswith((".", "?", "!", ")")), answer.json
        answer.close()

    one()


def modes_of(operation: Any) -> list[Any]:
    """What takes nothing cannot be asked wrongly."""
    raw = operation.definition.raw
    takes = raw.get("parameters") or raw.get("requestBody")
    return list(schemathesis.GenerationMode) if takes else [schemathesis.GenerationMode.POSITIVE]


@pytest.mark.parametrize("sender", SENDERS)
def test_the_api_for_a_while(sender: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stand = Stand(tmp_path)
    stand.open(4)
    document = schemathesis.openapi.from_dict(stand.kiosk().get("/api/v1/openapi.json").json)
    operations = [result.ok() for result in document.get_all_operations()]
    assert len(operations) > 15
    outcomes: Counter[str] = Counter()
    opened = itertools.count()
    until_s = time.monotonic() + SECONDS
    while time.monotonic() < until_s:
        for operation in operations:
            client = client_of(stand, sender)
            before = stand.table.snapshot().version

            for mode in modes_of(operation):
                throw(client, operation.as_strategy(generation_mode=mode), outcomes)
            if sender == "stranger":
                assert stand.table.snapshot().version == before, f"a stranger changed the table by {operation.label}"
            if stand.table.snapshot().game is None or stand.table.snapshot().setup is None:
                stand.table.close_game(f"again-{next(opened)}")
                stand.open(4)
    stand.close()
    took_s = time.monotonic() - until_s + SECONDS
    with capsys.disabled():
        print(
            f"\nAPI as {sender}: {outcomes.total()} requests in {took_s:.0f} s, {len(operations)} operations: "
            f"{dict(outcomes)}"
        )
