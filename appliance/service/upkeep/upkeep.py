"""The upkeep of the running table: its story in the log, its metrics, and the support file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from appliance.devices.self_test import Finding
from appliance.games.catalogue import the_game
from appliance.journal.journal import Journal
from appliance.service.upkeep.figures import Figures
from appliance.service.upkeep.story import Story
from appliance.service.upkeep.support import file_name, support_file
from appliance.settings import Settings
from appliance.table.table import Table
from appliance.words.catalogues import negotiate


class Upkeep:
    """One table's story and metrics.

    :param folder: the folder of the journal and the log.
    """

    def __init__(self, settings: Settings, folder: Path, table: Table, journal: Journal) -> None:
        self._settings, self._folder, self._table = settings, folder, table
        self.story = Story(table, the_game, negotiate([settings.language]))
        self.figures = Figures(journal, folder, self.story)

    def support_file(self, findings: Sequence[Finding]) -> tuple[str, bytes]:
        """Return the name and the content of a new support file."""
        now = datetime.now(UTC)
        return file_name(now), support_file(self._settings, self._folder, findings, self._table.snapshot(), now=now)
