"""The changes that a hub may make at this table, if its owner agreed on the host's page."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from appliance.hub.link.wanted import Consent, HouseSettings
from appliance.service.machine.asks import Install, UpdateNote, Updates
from web.context import Web
from web.pages.game_pages import is_played
from web.site import HostChoices


class HubsHouse:
    """The table's settings and its machine. A table without a machine has no releases to install."""

    def __init__(self, web: Web) -> None:
        self._web, self._machine = web, web.site.machine

    def takes(self) -> tuple[Consent, ...]:
        """Return what the owner allows the hub to do. Updates need a PIN, as on the host's page."""
        choices, agreed = self._web.host.choices, list[Consent]()
        if choices.hub_updates and self._machine is not None and self._web.keys.has_pin:
            agreed.append("updates")
        if choices.hub_settings:
            agreed.append("settings")
        return tuple(agreed)

    def is_free(self) -> bool:
        """Return whether no game is being played."""
        return not is_played(self._web.table.snapshot())

    def change(self, settings: HouseSettings) -> bool:
        """Use these settings from now on. Return False if the owner does not allow it or a setting is invalid.

        :raises OSError: they cannot be stored.
        """

        def settled(choices: HostChoices) -> HostChoices | None:
            changed = msgspec.structs.replace(choices, **msgspec.structs.asdict(settings))
            return changed if choices.hub_settings and changed.problem() is None else None

        if not self._web.host.amend(settled):
            return False
        self._web.live.refresh()
        return True

    def install(self, release: str) -> str:
        """Begin to install a release from apt's signed sources, never from a USB stick.

        :return: "", "gone" if apt no longer offers this release, or "refused".
        """
        if self._machine is None:
            return "refused"
        # A failed refresh is ignored: apt may know the release from an earlier one.
        self._machine.ask(Updates(refresh=True))
        done = self._machine.ask(Install("apt", release))
        return {"": "", "update_gone": "gone"}.get(done.problem, "refused")

    def last_update(self) -> UpdateNote | None:
        """Return the result of the last update. If it has been "running" too long, the machine is asked."""
        note = None if self._machine is None else self._machine.last_update()
        # During an installation the machine is not asked: it may just be replacing the helper that answers.
        if self._machine is None or note is None or note.result != "running" or note.may_run(datetime.now(UTC)):
            return note
        done = self._machine.ask(Updates())
        return note if done.updates is None else done.updates.last
