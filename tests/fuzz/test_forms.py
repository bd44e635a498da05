"""No form, whatever is in its fields, is answered as a bug, leads out of the house, or stores what breaks a start.

The forms are those of all pages: languages, the host's settings, calibration, first start, files taken in, updates, the
league night, the editor of owners' files.
"""

from __future__ import annotations

import io
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from appliance.devices.calibration_files import twin_calibration
from appliance.devices.whole_self_test import WholeSelfTest
from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.session import CalibrationPaths, CalibrationSession
from appliance.journal.media.removable_media import Sticks
from appliance.service.machine.machine import Machine
from appliance.service.standing_self_test import StandingSelfTest
from appliance.service.upkeep.upkeep import Upkeep
from appliance.settings import Settings
from appliance.words.catalogues import words_for
from hardware.twin.drawing.viewpoint import twin_camera
from tests.fuzz.doors import transcripts
from tests.fuzz.mutations import mutated
from tests.fuzz.test_fuzz import SECONDS, SEED
from tests.web.stand import Stand
from web.app import create_app
from web.site import HostStore

pytestmark = pytest.mark.slow

ODD = (
    "", " ", "0", "-1", "24", "1e9", "9" * 5000, "nan", "inf", "\u0661\u0662", "²", "true", "null", "None", "[]", "{}",
    "\0", "\x1b[2J", "%0d%0aSet-Cookie: a=b", "\r\nLocation: //evil", "//evil.example", "/\\evil", "\t//evil",
    "https://evil.example", "../../etc/passwd", "0/../../etc/passwd", "{{7*7}}", "{seat}", "%s%n", "' OR 1=1 --",
    "<script>alert(1)</script>", "\U0001f600", "a" * 70_000, "ü" * 40, "\u202e\u0000", "en", "de", "auto", "yes", "600",
)  # fmt: skip
FIELDS = (
    "language", "dim_after_s", "quiet_from_h", "quiet_until_h", "dark_from_h", "dark_until_h", "live_picture",
    "join_codes_on_wall", "pin", "back", "file", "id", "consent", "on", "ssid", "password", "what", "mass_g", "kind",
    "diameter_mm", "colour", "currency", "coin", "name", "known", "seat", "weight", "size", "sheet", "action", "game",
    "saved", "rules", "missing", "after", "question",
)  # fmt: skip
KINDS = (
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "text/plain",
    "",
)
HERE = {"Origin": "http://localhost"}


class Forms:
    """A table whose whole set of pages is there, and somebody at its own screen who types anything."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.outcomes = folder, Counter[str]()
        self.stand = Stand(
            folder,
            pin="",
            owner_file=folder / "owner.json",
            machine=Machine(folder / "machine"),
            sticks=Sticks((folder,), lambda path: path.name == "stick"),
            files_folder=folder / "files",
        )
        (folder / "stick").mkdir()
        settings = Settings(data_dir=str(folder))
        test = WholeSelfTest(settings, twin_calibration, twin=True, serving=True)
        paths = CalibrationPaths(folder / "camera.toml", folder / "rig.toml", folder / "scale.toml", folder / "reports")
        self.session = CalibrationSession(SimulatedDevices(), paths, nullcontext, lambda: False, twin_camera())
        self.app = create_app(
            self.stand.table,
            settings=self.stand.site,
            clock=self.stand.clock,
            calibration_session=self.session,
            self_test=StandingSelfTest(test, self.stand.table.snapshot, words_for("en"), listens_s=0.0),
            upkeep=Upkeep(settings, folder, self.stand.table, self.stand.journal),
        )
        self.posts, self.gets = (self._addresses(method) for method in ("POST", "GET"))

    def _addresses(self, method: str) -> list[str]:
        rules = self.app.url_map.iter_rules()
        return sorted(
            str(rule)
            for rule in rules
            if method in (rule.methods or ()) and not str(rule).startswith(("/api/", "/live"))
        )

    def throw(self, rng: random.Random) -> None:
        """Send one form, or one address with odd parameters, and judge the answer."""
        post = rng.random() < 0.7
        address = rng.choice(self.posts if post else self.gets)
        if post and address.startswith("/host/calibration/begin"):
            address = address.replace("<kind>", "none")
        # Only a digit reaches most addresses at all.
        filled = re.sub(
            r"<[^>]+>", lambda _: quote(rng.choice(("0", "1", "7", rng.choice(ODD)[:50])), safe=""), address
        )
        chosen = rng.sample(FIELDS, rng.randint(0, 8))
        fields: dict[str, Any] = {name: rng.choice(ODD) for name in chosen}
        sent: dict[str, Any] = {"headers": {**HERE, "Accept-Language": rng.choice(("en", "de", "\u00e9", "x" * 300))}}
        if not post:
            sent["query_string"] = {name: str(value)[:2000] for name, value in fields.items()}
        elif rng.random() < 0.2:
            raw = bytes(rng.randrange(256) for _ in range(rng.randint(0, 400)))
            sent |= {"data": raw, "content_type": rng.choice(KINDS)}
        else:
            if rng.random() < 0.3:
                upload = mutated(rng, transcripts())
                fields["file"] = (io.BytesIO(upload), rng.choice(("game.jsonl", "../x", "a\0b", "")))
            sent["data"] = fields
        client = self.app.test_client()
        answer = client.open(filled, method="POST" if post else "GET", **sent)
        # The client's own copy of a large form, which it leaves open.
        answer.request.environ["wsgi.input"].close()
        self._judge(answer, filled, sent)

    def _judge(self, answer: Any, address: str, sent: dict[str, Any]) -> None:
        case = address[:200], str(sent)[:600]
        assert answer.status_code < 500 or answer.status_code == 503, (answer.status_code, *case)
        where = answer.headers.get("Location", "")
        assert urlsplit(where).netloc in ("", "localhost"), (where, *case)
        assert not where.startswith(("//", "/\\")), (where, *case)
        assert "a=b" not in answer.headers.get("Set-Cookie", ""), case
        if answer.mimetype == "text/html":
            text = answer.get_data(as_text=True)
            assert "<script>alert" not in text, case
            assert "Traceback" not in text, case
        self.outcomes[str(answer.status_code)] += 1

    def ends_well(self, logged: pytest.LogCaptureFixture) -> None:
        """What was stored reads well at the next start, and every page had its words."""
        assert [text for text in logged.messages if text.startswith("no words in")] == []
        assert HostStore(self.folder / "host.json").choices.problem() is None

    def close(self) -> None:
        self.session.close()
        self.stand.close()


@pytest.fixture
def forms(tmp_path: Path) -> Iterator[Forms]:
    forms = Forms(tmp_path)
    yield forms
    forms.close()


def test_a_few_odd_forms(forms: Forms, caplog: pytest.LogCaptureFixture) -> None:
    rng = random.Random("forms")
    for number in range(300):
        if number == 150:
            forms.stand.open(2)
        forms.throw(rng)
    forms.ends_well(caplog)
    assert {"200", "302", "422"} <= forms.outcomes.keys(), forms.outcomes


@pytest.mark.fuzz
def test_odd_forms_for_a_while(
    forms: Forms, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    until_s, number = time.monotonic() + SECONDS, 0
    for number in count(1):
        try:
            forms.throw(random.Random(SEED + number))
        except BaseException:
            with capsys.disabled():
                print(f"\nforms: FUZZ_SEED={SEED}, case {number}")
            raise
        if time.monotonic() > until_s:
            break
    forms.ends_well(caplog)
    with capsys.disabled():
        print(f"\nforms: {number} requests in {SECONDS:.0f} s: {dict(forms.outcomes.most_common())}")
