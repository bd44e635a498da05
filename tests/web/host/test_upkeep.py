"""The support file and the figures for monitoring: whole, for the right people, and without any secret."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from appliance.games.protocol import Player, Setup
from appliance.journal.media.removable_media import Sticks
from appliance.service.upkeep import support
from appliance.service.upkeep.figures import Figures
from appliance.service.upkeep.log_file import begin_log
from appliance.service.upkeep.story import Story
from appliance.settings import Settings
from hardware.readings import DeviceHealth
from hardware.scale.load_cell import ReadCounters, ReadFailure, Sample
from tests.appliance.journal.hanging import hanging_at
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import ADDRESS, NAMES, PIN, PUTTY, Elsewhere, Stand
from tests.web.upkept import upkept

HEAVY = {0: 71.83, 2: 83.94, 3: 61.27}
LIGHT = {0: 12.05, 2: 12.61, 3: 5.49}
TOKEN = "a-token-of-monitoring"
HERE = {"Origin": "http://localhost"}

OUTSIDE: dict[str, Any] = {
    "webhooks": "https://club.example/hook-7fa2",
    "webhook_secret": "a secret that signs",
    "mqtt": "mqtt://a:b7@c",
    "hub": "nats+tls://cellar:SUAKEY@hub:4222?ca=MII",
}


class Kept:
    """A stand with its upkeep."""

    def __init__(self, folder: Path, **site: Any) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.stand = Stand(folder, metrics_token=TOKEN, **site)
        self.settings = Settings(data_dir=str(folder), host_pin=PIN, metrics_token=TOKEN, **OUTSIDE)
        self.upkeep, self.app = upkept(self.stand, self.settings)

    @property
    def story(self) -> Story:
        return self.upkeep.story

    @property
    def figures(self) -> Figures:
        return self.upkeep.figures

    def play(self, masses: dict[int, float], hidden: dict[int, str]) -> None:
        self.story.take(self.stand.table.snapshot())
        self.stand.open(4)
        for action in [*opening(hidden), *ranking(masses), *INSPECTIONS][:-3]:
            self.stand.do(**action)
            self.story.take(self.stand.table.snapshot())

    def own_screen(self) -> Any:
        return self.app.test_client()

    def elsewhere(self) -> Any:
        return Elsewhere(self.app, self.app.response_class, use_cookies=True)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path / "table", pin="")
    yield kept
    kept.stand.close()


def parts_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        assert file.testzip() is None
        return {name: file.read(name) for name in file.namelist()}


def value(text: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert found is not None, name
    return float(found[1])


class TestSupportFile:
    def test_it_holds_no_secret_of_a_game_and_no_key(self, tmp_path: Path) -> None:
        folder = tmp_path / "table"
        folder.mkdir()
        begin_log(folder, environ={})
        try:
            kept = Kept(folder)
            (folder / "web.key").write_bytes(b"w" * 32)
            kept.play(HEAVY, {1: "bomb", 3: "sour"})
            kept.stand.phone(0)
            with (folder / "table.log").open("a") as log:
                log.write(f"a line that names {NAMES[2]}, {PIN} and {TOKEN}\n")
            _, content = kept.upkeep.support_file([])
            parts = parts_of(content)
            codes = [kept.stand.join_path(seat).encode() for seat in range(4)]
            keys = [path.read_bytes().strip() for path in folder.glob("*.key")]
            kept.stand.close()
        finally:
            begin_log(None, environ={})
        assert b"Round 1 begins" in parts["log.txt"]
        assert b"a line that names someone" in parts["log.txt"]
        assert len(keys) == 2
        secret = [str(mass).encode() for mass in HEAVY.values()]
        secret += [name.encode() for name in NAMES] + [PIN.encode(), TOKEN.encode()] + codes + keys
        secret += [value.encode() for value in OUTSIDE.values()]
        for name, text in parts.items():
            assert not [one for one in secret if one in text], name
        assert json.loads(parts["settings.json"])["host_pin"] is True

    def test_names_and_a_pin_that_are_words_or_digits_of_json_leave_it_readable(self, tmp_path: Path) -> None:
        kept = Kept(tmp_path / "table")
        named = tuple(Player(name=name, putty=putty) for name, putty in zip(("null", "true"), PUTTY, strict=False))
        kept.stand.table.open_game(Setup(format=1, game="smugglers", players=named, options={}), "open")
        settings = Settings(data_dir=str(kept.folder), host_pin="8080", port=8080)
        parts = parts_of(support.support_file(settings, kept.folder, [], kept.stand.table.snapshot()))
        kept.stand.close()
        read = {name: json.loads(text) for name, text in parts.items() if name.endswith(".json")}
        assert read["settings.json"]["port"] == 8080
        assert read["settings.json"]["host_pin"] is True
        assert b"someone" not in parts["settings.json"] + parts["devices.json"]

    @pytest.mark.slow
    def test_games_that_differ_in_secrets_alone_give_the_same_file(self, tmp_path: Path) -> None:
        made = []
        for name, masses, hidden in (("a", HEAVY, {1: "bomb", 3: "sour"}), ("b", LIGHT, {1: "sweet", 3: "bomb"})):
            kept = Kept(tmp_path / name)
            kept.play(masses, hidden)
            content = support.support_file(
                Settings(), kept.folder, [], kept.stand.table.snapshot(), now=datetime(2026, 5, 1, tzinfo=UTC)
            )
            kept.stand.close()
            made.append(parts_of(content))
        assert made[0].keys() == made[1].keys()
        for name in made[0].keys() - {"about.json"}:
            text, other = (re.sub(rb'"changed_h_ago": [-.\d]+', b"", part[name]) for part in made)
            assert text == other, name

    @pytest.mark.parametrize("damage", [b"", b"no journal at all", None])
    def test_it_is_made_whatever_is_broken(self, tmp_path: Path, damage: bytes | None) -> None:
        if damage is not None:
            (tmp_path / "journal.sqlite3").write_bytes(damage)
        (tmp_path / "rig.toml").mkdir()
        parts = parts_of(support.support_file(Settings(data_dir=str(tmp_path)), tmp_path, []))
        assert json.loads(parts["about.json"])["version"]
        assert "problem" in json.loads(parts["journal.json"])

    def test_it_tells_each_file_of_the_journal_by_its_place(self, tmp_path: Path) -> None:
        """Also one whose name is no text: a backup that was made here from a terminal."""
        names = (b"journal.sqlite3", b"replaced-1/journal.sqlite3", b"copy/journal.copy", b"ev\xffe.sqlite3")
        for size, name in enumerate(names, start=3):
            path = tmp_path / os.fsdecode(name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"x" * size)
        parts = parts_of(support.support_file(Settings(data_dir=str(tmp_path)), tmp_path, []))
        told = {name: of["bytes"] for name, of in json.loads(parts["journal.json"])["files"].items()}
        assert sorted(told.values()) == [3, 4, 5, 6]
        assert (told["journal.sqlite3"], told["replaced-1/journal.sqlite3"]) == (3, 4)

    def test_it_is_made_while_the_table_removes_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A log that was just merged and a restore that just ended are gone when they are looked at."""
        (tmp_path / "restoring").mkdir()
        for name in ("journal.sqlite3", "journal.sqlite3-wal"):
            (tmp_path / name).write_bytes(b"")
        look = os.scandir
        with look(tmp_path) as looked:
            before = list(looked)
        (tmp_path / "restoring").rmdir()
        (tmp_path / "journal.sqlite3-wal").unlink()

        class Stale(contextlib.AbstractContextManager["Stale"]):
            def __init__(self, folder: Any) -> None:
                with look(folder) as found:
                    self._found = iter(before if Path(folder) == tmp_path else list(found))

            def __exit__(self, *_: object) -> None:
                pass

            def __iter__(self) -> Iterator[os.DirEntry[str]]:
                return self._found

            def __next__(self) -> os.DirEntry[str]:
                return next(self._found)

        monkeypatch.setattr(os, "scandir", Stale)
        parts = parts_of(support.support_file(Settings(data_dir=str(tmp_path)), tmp_path, []))
        assert list(json.loads(parts["journal.json"])["files"]) == ["journal.sqlite3"]

    def test_the_host_saves_it_and_nobody_else(self, kept: Kept) -> None:
        stranger = kept.elsewhere()
        assert stranger.get("/host/support/file").headers["Location"].startswith("/host/unlock")
        assert stranger.post("/host/support/stick", headers={"Origin": f"http://{ADDRESS}"}).status_code == 403
        assert stranger.get("/host/support").status_code == 302
        answer = kept.own_screen().get("/host/support/file")
        assert answer.mimetype == "application/zip"
        assert "attachment" in answer.headers["Content-Disposition"]
        assert {"about.json", "journal.json", "devices.json"} <= parts_of(answer.data).keys()

    def test_the_own_screen_saves_it_on_a_stick(self, kept: Kept, tmp_path: Path) -> None:
        page = kept.own_screen().get("/host/support").get_data(as_text=True)
        assert "download" not in page
        answer = kept.own_screen().post("/host/support/stick", headers=HERE)
        assert answer.status_code == 409
        assert "stick" in answer.get_data(as_text=True)

    def test_a_stick_that_hangs_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("appliance.journal.media.medium.ANSWERS_S", 0.1)
        stick = tmp_path / "media" / "STICK"
        stick.mkdir(parents=True)
        kept = Kept(tmp_path / "table", pin="", sticks=Sticks((stick.parent,)))
        with hanging_at(stick):
            own = kept.own_screen()
            shown = own.get("/host/support"), own.post("/host/support/stick", headers=HERE)
            assert [answer.status_code for answer in shown] == [200, 409]
            assert all("The stick does not answer" in answer.text for answer in shown)
        kept.stand.close()


class TestFigures:
    def test_they_are_for_this_machine_the_host_and_who_has_the_token(self, kept: Kept) -> None:
        assert kept.own_screen().get("/metrics").status_code == 200
        elsewhere = kept.elsewhere()
        assert elsewhere.get("/metrics").status_code == 403
        for given in ("", "Bearer", f"Bearer {TOKEN}x", "Bearer ü"):
            assert elsewhere.get("/metrics", headers={"Authorization": given}).status_code == 403
        assert elsewhere.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200

    def test_every_line_is_what_prometheus_reads(self, kept: Kept) -> None:
        kept.play(HEAVY, {})
        kept.own_screen().post("/api/v1/games/close", json={"id": "x"}, headers=HERE)
        text = kept.own_screen().get("/metrics").get_data(as_text=True)
        sample = re.compile(r'smugglers_\w+(\{(\w+="[^"]*",?)+\})? -?[\d.]+(e[+-]\d+)?')
        names: list[str] = []
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                names.append(line.split()[2])
            elif not line.startswith("# HELP "):
                assert sample.fullmatch(line), line
                assert line.startswith(names[-1]), "samples stand under their type"
        assert len(names) == len(set(names)) > 15

    def test_they_count_what_happened(self, kept: Kept) -> None:
        kept.play(HEAVY, {})
        kept.stand.table.sense(DeviceHealth(t_s=1.0, device="scale", status="ok", code="scale_ok"))
        kept.stand.table.step()
        for fact in (
            Sample(t_s=1.0, counts=5),
            Sample(t_s=1.1, counts=5),
            ReadFailure(t_s=1.2, reason="stalled"),
            ReadCounters(t_s=1.3, read=10, refused=4),
            ReadCounters(t_s=1.4, read=1, refused=1),
        ):
            kept.figures.senses.take(fact)
        kept.own_screen().post("/api/v1/undo", json={"id": "x"}, headers=HERE)
        text = kept.own_screen().get("/metrics").get_data(as_text=True)
        assert value(text, "smugglers_game_open") == 1
        assert value(text, 'smugglers_games_opened_total{game="smugglers"}') == 1
        assert value(text, 'smugglers_device_ok{device="scale"}') == 1
        assert value(text, 'smugglers_device_ok{device="camera"}') == 0
        assert value(text, "smugglers_scale_samples_total") == 2
        assert value(text, "smugglers_scale_frames_refused_total") == 5, "a new process of the scale begins at nought"
        assert value(text, 'smugglers_scale_failures_total{reason="stalled"}') == 1
        assert value(text, "smugglers_tap_seconds_count") == 1
        assert value(text, 'smugglers_tap_seconds_bucket{le="+Inf"}') == 1
        assert value(text, "smugglers_journal_entries_total") == kept.stand.journal.last_seq()
        assert 0 < value(text, "smugglers_disk_free_bytes") <= value(text, "smugglers_disk_bytes")

    def test_the_start_is_told_by_the_clock_that_the_network_has_set_since(self, kept: Kept) -> None:
        """A board without a battery starts in 1970. Monitoring tells from the start how long the table runs."""
        wall_s, up_s = 200.0, 50.0
        figures = Figures(kept.stand.journal, kept.folder, kept.story, clocks=(lambda: wall_s, lambda: up_s))

        def started_s() -> float:
            return value(figures.text(kept.stand.table.snapshot(), {}), "smugglers_start_time_seconds")

        assert started_s() == 200
        wall_s, up_s = 1_800_000_060.0, 110.0
        assert started_s() == 1_800_000_000
        wall_s, up_s = 1_800_000_160.5, 210.0
        assert started_s() == 1_800_000_000, "a clock that the network puts right by a little"

    def test_the_machine_s_own_figures_are_there_where_it_tells_them(self, kept: Kept, tmp_path: Path) -> None:
        root = tmp_path / "root"
        (root / "sys/class/thermal/thermal_zone0").mkdir(parents=True)
        (root / "sys/class/thermal/thermal_zone0/temp").write_text("61250\n")
        (root / "sys/devices/platform/soc/soc:firmware").mkdir(parents=True)
        (root / "sys/devices/platform/soc/soc:firmware/get_throttled").write_text("50000\n")
        text = Figures(kept.stand.journal, kept.folder, kept.story, root).text(kept.stand.table.snapshot(), {})
        assert value(text, "smugglers_temperature_celsius") == 61.25
        assert value(text, "smugglers_undervoltage") == 0
        assert value(text, "smugglers_undervoltage_seen") == 1
