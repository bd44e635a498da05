"""The pages of a table, and the outbox to its hub, which shares some of them.

Both are imported when they are built: commands without pages need none of it.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from appliance.composition.table_base import TableBase, TableDevices
from appliance.journal.media.removable_media import Sticks
from appliance.journal.safekeeping.evening import EVENING
from appliance.service.lifecycle import Part
from appliance.service.machine.machine import Machine
from appliance.service.machine.time_zone import time_zone
from appliance.words.errors import TableError, unusable

if TYPE_CHECKING:
    from web.context import Web

_log = logging.getLogger(__name__)


def build_pages(base: TableBase, devices: TableDevices) -> tuple[Part, Web]:
    """Build the web server, and what its routes share."""
    from web.app import create_app
    from web.context import SeatControl
    from web.live.serve import Server
    from web.site import Site

    settings, folder, demo = base.settings, base.folder, devices.demo
    control = None
    if demo is not None:
        from appliance.composition.demo.demo import NAMES

        control = SeatControl(demo.who_plays, demo.hand_over, demo.keep_lobby, demo.lend_hands, NAMES)
    try:
        site = Site(
            secret_key=base.records.web_key,
            pin=settings.host_pin,
            port=settings.port,
            address=settings.host,
            host_file=folder / "host.json",
            phones_file=folder / "phones.json",
            evening_file=folder / EVENING,
            language=settings.language,
            owner_file=folder / "owner.json" if base.hardware == "pi" else None,
            machine=Machine(Path(settings.machine_dir)) if settings.machine_dir else None,
            files_folder=settings.files_path,
            sticks=Sticks(settings.stick_paths),
            metrics_token=settings.metrics_token,
            embed_origins=tuple(settings.embed_origins.split()),
            tells_programs=bool(settings.webhooks or settings.mqtt),
            tells_hub=_has_hub(_code(base), folder),
            time_zone=partial(time_zone, os.environ),
        )
        app = create_app(
            base.table,
            settings=site,
            clock=base.clock,
            live_picture=devices.live_picture,
            seat_control=control,
            calibration_session=devices.calibration_session,
            rolls=base.rolls,
            self_test=base.self_test,
            upkeep=base.upkeep,
            feed=base.feed,
        )
    except OSError as error:
        raise unusable(Path(error.filename or folder), error) from None
    try:
        server = Server(app, site, host=settings.host)
    except OSError as error:
        raise TableError("port_taken", port=str(settings.port), reason=error.strerror) from None
    except ValueError:
        raise TableError("host_unknown", host=settings.host) from None
    return Part(server.start, server.stop), app.extensions["smugglers"]


def _code(base: TableBase) -> str:
    """Return the hub invitation of the settings; "" for a demo, whose games do not belong to the table."""
    return base.settings.hub if base.hardware == "pi" else ""


def _has_hub(code: str, folder: Path) -> bool:
    return bool(code) or (folder / "hub.json").exists()


def outbox_to_hub(base: TableBase, web: Web) -> list[Part]:
    """Build the outbox that sends the journal to the table's hub; a table without a hub does not import it."""
    code = _code(base)
    if not _has_hub(code, base.folder):
        return []
    try:
        from appliance.hub.outbox.table_outbox import outbox_of
    except ImportError:
        # A table plays on without its hub.
        _log.error("this table sends nothing to its hub: the library nats-py is missing")
        return []
    from web.hubs_house import HubsHouse

    outbox = outbox_of(
        base.folder,
        code,
        base.records.journal,
        base.table,
        web.played_here.nobody,
        HubsHouse(web),
        lambda: web.evening.kept.erased,
    )
    return [] if outbox is None else [Part(outbox.start, outbox.stop)]
