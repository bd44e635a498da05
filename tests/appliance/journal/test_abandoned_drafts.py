"""What a power cut left half written is gone after the next start of the table or the hub."""

from __future__ import annotations

from pathlib import Path

from appliance.composition.hub import HubSettings, build_hub
from appliance.composition.table_base import remove_drafts
from appliance.journal.safekeeping.evening import SECOND_EVENING
from appliance.journal.safekeeping.keys import SPARES
from appliance.journal.safekeeping.records import open_records
from appliance.settings import Settings
from tests.hardware.files.test_abandoned_drafts import leave_draft


def test_a_start_removes_drafts_from_the_data_folder_and_ours_from_the_second_medium(tmp_path: Path) -> None:
    folder, second = tmp_path / "data", tmp_path / "stick"
    second.mkdir()
    open_records(folder, second).journal.close()
    ours = [leave_draft(folder / "host.json"), leave_draft(folder / SPARES / "seal.key")]
    ours.append(leave_draft(second / SECOND_EVENING))
    foreign = leave_draft(second / "holidays.txt")
    private = folder / ".host.json.original"
    private.write_text("somebody's")
    open_records(folder, second).journal.close()
    assert not any(draft.exists() for draft in ours)
    assert foreign.exists()
    assert private.exists()


def test_drafts_of_reports_own_files_and_calibrations_are_removed(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path / "data"), scale_file=str(tmp_path / "etc" / "scale.toml"))
    places = [
        tmp_path / "data" / "reports" / "scale.html",
        settings.files_path / "haulers.toml",
        settings.scale_path,
        tmp_path / "etc" / "scale.toml.previous",
    ]
    drafts = []
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
        drafts.append(leave_draft(place))
    foreign = leave_draft(tmp_path / "etc" / "other.toml")
    remove_drafts(settings, tmp_path / "data")
    assert not any(draft.exists() for draft in drafts)
    assert foreign.exists()


def test_a_hub_removes_the_drafts_in_its_folder(tmp_path: Path) -> None:
    draft = leave_draft(tmp_path / "members.json")
    hub = build_hub(HubSettings(folder=tmp_path, host="127.0.0.1", port=0))
    hub.start()
    hub.stop()
    assert not draft.exists()
