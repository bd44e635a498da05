"""The hub's stored rollouts and house settings, and the current offer to each table."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, delete, select, update

from appliance.hub.chain.rings import LeftOut, Rollout, Seen, Stop, after, is_newer, rings_of
from appliance.hub.link.wanted import HouseSettings, Wanted, encoded
from appliance.hub.report import Report, report_of
from appliance.hub.store.database import Database, Work
from appliance.hub.store.schema import ROLLOUTS, SETTINGS, TABLES
from hardware.readings import SENSES

HEARD_S = 300.0
"""A rollout begins with a table that the hub has heard from within this time."""
RolloutProblem = Literal["rollout_on", "rollout_no_tables"]


def begin(database: Database, release: str, watch_s: float, now_s: float) -> RolloutProblem | None:
    """Begin to offer `release` to all tables whose owners agreed. Return the problem that prevents it, or None.

    Tables without faulty devices that were heard lately come first, silent tables last. A table where this release
    failed before, or that runs a newer one, is left out.
    """
    with database.write() as connection:
        database.alone(connection, Work.ROLL_OUT)
        newest = _newest(connection)
        if newest is not None and newest.ended_s is None:
            return "rollout_on"
        seen = seen_now(connection)
        left_out = {name: why for name, one in seen.items() if one.takes and (why := _left_out(one, release))}
        takers = [name for name, one in seen.items() if one.takes and name not in left_out]
        takers.sort(key=lambda name: (now_s - seen[name].heard_s > HEARD_S, bool(seen[name].faulty), name))
        if not takers or now_s - seen[takers[0]].heard_s > HEARD_S:
            return "rollout_no_tables"
        rollout = Rollout(
            number=1 if newest is None else newest.number + 1,
            release=release,
            watch_s=watch_s,
            rings=rings_of(takers),
            left_out=left_out,
            faulty_before={name: seen[name].faulty for name in takers if seen[name].faulty},
            release_before={name: seen[name].release for name in takers},
            refused_before=tuple(name for name in takers if seen[name].told(release) in ("gone", "refused")),
            started_s=now_s,
            ring_s=now_s,
        )
        connection.execute(ROLLOUTS.insert().values(number=rollout.number, body=_text(rollout)))
    return None


def _left_out(one: Seen, release: str) -> LeftOut | None:
    if one.told(release) in ("failed", "went_back"):
        return "failed_before"
    return "newer" if is_newer(one.release, release) else None


def stop(database: Database, now_s: float) -> None:
    """Stop the running rollout. Tables that have its release keep it."""
    with database.write() as connection:
        database.alone(connection, Work.ROLL_OUT)
        newest = _newest(connection)
        if newest is not None and newest.ended_s is None:
            _keep(connection, replace(newest, ended_s=now_s, stop=Stop("", "by_hand")))


def go_on(database: Database, now_s: float) -> None:
    """Continue, stop or end the running rollout, according to the tables' reports."""
    with database.read() as connection:
        newest = _newest(connection)
    if newest is None or newest.ended_s is not None:
        return
    with database.write() as connection:
        database.alone(connection, Work.ROLL_OUT)
        newest = _newest(connection)
        if newest is None:
            return
        now = after(newest, seen_now(connection), now_s)
        if now != newest:
            _keep(connection, now)


def newest_rollout(database: Database) -> tuple[Rollout | None, Mapping[str, Seen]]:
    """Return the newest rollout, running or ended, and the newest report of every table."""
    with database.read() as connection:
        return _newest(connection), seen_now(connection)


def settings_of(database: Database) -> dict[str, HouseSettings]:
    """Return the settings that the hub offers, by café. "": for tables without a café."""
    with database.read() as connection:
        return _settings(connection)


def set_house(database: Database, cafe: str, settings: HouseSettings | None) -> None:
    """Offer a café's tables these settings from now on; None: none. Tables keep the settings that they have applied."""
    with database.write() as connection:
        connection.execute(delete(SETTINGS).where(SETTINGS.c.cafe == cafe))
        if settings is not None:
            connection.execute(SETTINGS.insert().values(cafe=cafe, body=msgspec.json.encode(settings).decode()))


def offers(database: Database) -> dict[str, bytes]:
    """Return the encoded offer to each table. Tables without an offer are left out."""
    with database.read() as connection:
        rollout, house = _newest(connection), _settings(connection)
        to_update = set() if rollout is None else set(rollout.open)
        release = "" if rollout is None else rollout.release
        if not to_update and not house:
            return {}
        rows = connection.execute(select(TABLES.c.name, TABLES.c.cafe).order_by(TABLES.c.name)).all()
    wanted = (
        (row.name, Wanted(release=release if row.name in to_update else "", settings=house.get(row.cafe)))
        for row in rows
    )
    return {name: encoded(one) for name, one in wanted if one != Wanted()}


def seen_now(connection: Connection) -> dict[str, Seen]:
    """Return the newest report of every table. Tables whose report this release cannot read are left out."""
    rows = connection.execute(select(TABLES.c.name, TABLES.c.status, TABLES.c.heard_s).order_by(TABLES.c.name))
    told = ((row, report_of(row.status)) for row in rows)
    return {row.name: _seen(report, row.heard_s) for row, report in told if report is not None}


def _seen(report: Report, heard_s: float) -> Seen:
    sensors = report.status.sensors if report.status is not None else {}
    faulty = tuple(sorted(name for name, one in sensors.items() if name in SENSES and one.state == "faulty"))
    takes = "updates" in report.takes
    return Seen(release=report.release, takes=takes, offered=report.offered, faulty=faulty, heard_s=heard_s)


def _newest(connection: Connection) -> Rollout | None:
    body = connection.execute(select(ROLLOUTS.c.body).order_by(ROLLOUTS.c.number.desc()).limit(1)).scalar()
    return None if body is None else msgspec.json.decode(body, type=Rollout)


def _settings(connection: Connection) -> dict[str, HouseSettings]:
    """Return the settings of each café. Invalid ones, which no table would accept, are left out."""
    rows = connection.execute(select(SETTINGS.c.cafe, SETTINGS.c.body))
    kept: dict[str, HouseSettings] = {}
    for row in rows:
        with suppress(msgspec.ValidationError):
            kept[row.cafe] = msgspec.json.decode(row.body, type=HouseSettings)
    return kept


def _keep(connection: Connection, rollout: Rollout) -> None:
    connection.execute(update(ROLLOUTS).where(ROLLOUTS.c.number == rollout.number).values(body=_text(rollout)))


def _text(rollout: Rollout) -> str:
    return msgspec.json.encode(rollout).decode()
