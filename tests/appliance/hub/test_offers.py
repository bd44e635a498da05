"""A table takes what its hub offers where its owner agreed, between games, and once; through a real broker."""

from __future__ import annotations

import asyncio
import errno
import threading
import time
from pathlib import Path

import pytest

from appliance.hub.link.wanted import HOLDS_S, Consent, HouseSettings, Offered, Wanted, encoded
from appliance.hub.outbox import offers as offers_module
from appliance.hub.outbox.offers import AGAIN_S, Offers
from appliance.hub.outbox.table_outbox import outbox_of
from appliance.hub.report import decoded as report_of
from appliance.hub.subjects import subject
from appliance.service.machine.asks import UpdateNote
from tests.appliance.hub.conftest import HubStand
from tests.appliance.hub.test_broker import refused
from tests.patience import GIVEN_UP_S
from tests.web.stand import Stand

NIGHT = HouseSettings(language="de", quiet_from_h=22, quiet_until_h=8)


class ToldHouse:
    """A house whose owner agrees to what a test says; its disk may be full, its machine may refuse."""

    def __init__(self, *agreed: Consent) -> None:
        self.agreed, self.free, self.full = agreed, True, False
        self.set: list[HouseSettings] = []
        self.installed: list[str] = []
        self.problem = ""
        self.note: UpdateNote | None = None

    def takes(self) -> tuple[Consent, ...]:
        return self.agreed

    def is_free(self) -> bool:
        return self.free

    def change(self, settings: HouseSettings) -> bool:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.set.append(settings)
        return True

    def install(self, release: str) -> str:
        self.installed.append(release)
        return self.problem

    def last_update(self) -> UpdateNote | None:
        return self.note


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def table(folder: Path, house: ToldHouse) -> tuple[Offers, Clock]:
    clock = Clock()
    return Offers(folder, house, clock, "0.1.0"), clock


@pytest.mark.parametrize("agreed", [(), ("settings",)])
def test_nothing_is_installed_without_consent(tmp_path: Path, agreed: tuple[Consent, ...]) -> None:
    house = ToldHouse(*agreed)
    offers, _ = table(tmp_path, house)
    offers.hear(encoded(Wanted(release="0.2.0")))
    offers.look()
    assert (house.installed, offers.offered()) == ([], None)


def test_a_release_waits_for_the_end_of_the_game_and_is_tried_once(tmp_path: Path) -> None:
    house = ToldHouse("updates")
    offers, clock = table(tmp_path, house)
    house.free = False
    offers.hear(encoded(Wanted(release="0.2.0")))
    offers.look()
    assert (house.installed, offers.offered()) == ([], Offered("0.2.0", "waits"))
    house.free = True
    offers.look()
    offers.look()
    assert (house.installed, offers.offered()) == (["0.2.0"], Offered("0.2.0", "running"))
    # It did not serve: the table went back, and says so; the offer that stands is not taken again.
    house.note = UpdateNote(version="0.2.0", result="went_back", at_utc="2026-11-23T04:00:00Z")
    clock.now_s += 2 * AGAIN_S
    offers.hear(encoded(Wanted(release="0.2.0")))
    offers.look()
    assert (house.installed, offers.offered()) == (["0.2.0"], Offered("0.2.0", "went_back"))


def test_what_no_source_has_is_told_and_asked_for_again_later(tmp_path: Path) -> None:
    house = ToldHouse("updates")
    house.problem = "gone"
    offers, clock = table(tmp_path, house)
    for _ in range(3):
        offers.hear(encoded(Wanted(release="0.2.0")))
        offers.look()
    assert (house.installed, offers.offered()) == (["0.2.0"], Offered("0.2.0", "gone"))
    clock.now_s += AGAIN_S
    offers.hear(encoded(Wanted(release="0.2.0")))
    offers.look()
    assert len(house.installed) == 2


def test_what_runs_already_is_told_as_installed_and_nobody_is_asked_for_it(tmp_path: Path) -> None:
    house = ToldHouse("updates")
    house.problem = "gone"
    offers, _ = table(tmp_path, house)
    offers.hear(encoded(Wanted(release="0.1.0")))
    offers.look()
    assert (house.installed, offers.offered()) == ([], Offered("0.1.0", "installed"))


def test_what_is_offered_anew_is_asked_for_at_once(tmp_path: Path) -> None:
    house = ToldHouse("updates")
    house.problem = "gone"
    offers, clock = table(tmp_path, house)
    offers.hear(encoded(Wanted(release="0.2.0")))
    offers.look()
    clock.now_s += HOLDS_S + 1
    offers.look()
    assert offers.offered() is None
    house.problem = ""
    offers.hear(encoded(Wanted(release="0.2.0")))
    offers.look()
    assert offers.offered() == Offered("0.2.0", "running")


def test_an_offer_that_is_not_said_any_more_is_over(tmp_path: Path) -> None:
    house = ToldHouse("updates", "settings")
    offers, clock = table(tmp_path, house)
    house.free = False
    offers.hear(encoded(Wanted(release="0.2.0", settings=NIGHT)))
    clock.now_s += HOLDS_S + 1
    house.free = True
    offers.look()
    assert (house.installed, house.set) == ([], [])


def test_settings_are_taken_once_and_what_the_host_changes_then_stays(tmp_path: Path) -> None:
    house = ToldHouse("settings")
    offers, _ = table(tmp_path, house)
    house.full = True
    offers.hear(encoded(Wanted(settings=NIGHT)))
    offers.look()
    assert house.set == []
    house.full = False
    offers.look()
    offers.look()
    # Likewise after the table's next start.
    again, _ = table(tmp_path, house)
    again.hear(encoded(Wanted(settings=NIGHT)))
    again.look()
    assert house.set == [NIGHT]


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 4000,
        b'{"format":2,"release":"0.2.0"}',
        b'{"release":"; reboot"}',
        b'{"release":"../0"}',
        b'{"release":"-0.2"}',
        b'{"settings":{"language":"xx"}}',
        b'{"settings":{"language":"de\\n"}}',
        b'{"settings":{"quiet_from_h":24}}',
        b'{"release":"0.2.0","x":"' + b"y" * 5000 + b'"}',
    ],
)
def test_what_is_no_offer_changes_nothing(tmp_path: Path, said: bytes) -> None:
    house = ToldHouse("updates", "settings")
    offers, _ = table(tmp_path, house)
    offers.hear(said)
    offers.look()
    assert (house.installed, house.set, offers.offered()) == ([], [], None)


def test_a_bug_while_taking_an_offer_is_logged_by_its_place_alone_and_offers_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(offers_module, "LOOK_S", 0.0)
    tries, went_on = iter(range(2)), threading.Event()

    class Stumbling(ToldHouse):
        def takes(self) -> tuple[Consent, ...]:
            if next(tries) == 0:
                raise ValueError("the PIN is 4711")
            went_on.set()
            offers.stop()
            return ()

    offers, _ = table(tmp_path, Stumbling())
    offers.start()
    assert went_on.wait(GIVEN_UP_S)
    assert f"ValueError at {__file__}" in caplog.text
    assert "4711" not in caplog.text


@pytest.mark.slow
def test_a_hub_offers_and_hears_what_came_of_it(hub: HubStand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers_module, "LOOK_S", 0.02)
    monkeypatch.setattr("appliance.hub.outbox.sender.CHANGED_S", 0.05)
    stand, house = Stand(tmp_path), ToldHouse("updates", "settings")
    code = hub.invite("cellar").code
    outbox = outbox_of(tmp_path, code, stand.journal, stand.table, lambda name, game: False, house)
    assert outbox is not None
    outbox.start()
    said, by = None, time.monotonic() + GIVEN_UP_S
    while said is None or said.offered is None or not house.set:
        assert time.monotonic() < by
        hub.take(0.05)
        hub.messages.wanted({"cellar": encoded(Wanted(release="0.2.0", settings=NIGHT))})
        for report in hub.messages.statuses().values():
            said = report_of(report)
    outbox.stop()
    assert (said.takes, said.offered) == (("updates", "settings"), Offered("0.2.0", "running"))
    assert (house.installed, house.set) == (["0.2.0"], [NIGHT])
    stand.close()


@pytest.mark.slow
def test_no_table_offers_anything_to_another_or_hears_what_it_is_offered(hub: HubStand) -> None:
    cellar, attic = hub.invite("cellar"), hub.invite("attic")
    hub.take()
    heard: list[bytes] = []

    async def tries() -> list[str]:
        from appliance.hub.link.connection import connected, end
        from appliance.hub.subjects import inbox

        async def keep(message: object) -> None:
            heard.append(message.data)  # type: ignore[attr-defined]

        theirs, _ = await connected(attic.host, attic.port, attic.seed, attic.authority, inbox("attic"))
        await theirs.subscribe(subject("attic", "wanted"), cb=keep)
        await theirs.flush()
        ours, _ = await connected(cellar.host, cellar.port, cellar.seed, cellar.authority, inbox("cellar"))
        said = refused(ours)
        for name in ("attic", "cellar"):
            await ours.publish(subject(name, "wanted"), b"{}")
        await ours.subscribe(subject("attic", "wanted"))
        await ours.flush()
        await asyncio.to_thread(hub.messages.wanted, {"attic": b"to the attic"})
        while not heard:
            await theirs.flush()
            await asyncio.sleep(0)
        await end(ours)
        await end(theirs)
        return said

    said = asyncio.run(tries())
    assert heard == [b"to the attic"]
    assert sum("permissions violation" in one for one in said) == 3
