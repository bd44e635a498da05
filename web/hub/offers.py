"""What the hub offers its tables: a staged rollout of a release, and house settings. Owners agree at the table."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue
from msgspec import ValidationError, convert

from appliance.hub.chain.rings import step_of
from appliance.hub.chain.rollouts import begin, newest_rollout, set_house, settings_of, stop
from appliance.hub.chain.tables_now import TableNow
from appliance.hub.link.wanted import HouseSettings, is_release
from appliance.hub.people.accounts import Account
from appliance.words.catalogues import language_names
from web.errors import Refused
from web.hub.context import HubWeb
from web.site import NEVER

MINUTES = (5, 15, 60, 240)
"""Choices, in minutes, of how long one ring of a rollout is observed before the next one."""


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes. Releases need a chain's account; a café's settings also allow the café's account."""
    bp = Blueprint("offers", __name__, url_prefix="/offers")

    @bp.get("")
    def page() -> ResponseReturnValue:
        account = web.need_account()
        tables = web.tables(None if account.role == "chain" else account.cafe)
        rollout, seen = newest_rollout(web.database)
        called = {table.name: table.called for table in tables}
        now_s = web.now_s()
        steps = (
            {} if rollout is None else {n: step_of(rollout, n, seen.get(n), now_s) for r in rollout.rings for n in r}
        )
        return render_template(
            "hub/offers.html",
            is_chain=account.role == "chain",
            rollout=rollout,
            steps=steps,
            called=called,
            agreed=sum(one.takes for one in seen.values()),
            releases=sorted({table.release for table in tables if table.release}),
            minutes=MINUTES,
            cafes=_cafes(account, tables),
            houses=settings_of(web.database),
            saved=request.args.get("saved"),
            languages=language_names(),
            never=NEVER,
        )

    @bp.post("/release")
    def release() -> ResponseReturnValue:
        web.need_chain()
        wanted, minutes = request.form.get("release", "").strip(), request.form.get("minutes", 0, type=int)
        if not is_release(wanted) or minutes not in MINUTES:
            raise Refused(422, "not_a_release", back="/offers")
        problem = begin(web.database, wanted, 60.0 * minutes, web.now_s())
        if problem == "rollout_on":
            raise Refused(409, "rollout_on", back="/offers")
        if problem is not None:
            raise Refused(409, "rollout_no_tables", back="/offers")
        return redirect("/offers")

    @bp.post("/stop")
    def end() -> ResponseReturnValue:
        web.need_chain()
        stop(web.database, web.now_s())
        return redirect("/offers")

    @bp.post("/house")
    def house() -> ResponseReturnValue:
        cafe = request.form.get("cafe", "")
        account = web.need_cafe(cafe)
        if "nothing" in request.form:
            set_house(web.database, cafe, None)
        elif cafe not in _cafes(account, web.tables()):
            raise Refused(404, "not_found", back="/offers")
        else:
            set_house(web.database, cafe, _settings())
        return redirect(f"/offers?{urlencode({'saved': cafe})}#saved")

    return bp


def _cafes(account: Account, tables: Sequence[TableNow]) -> list[str]:
    """Return the cafés that have tables, and the account's own (the chain's: ""), which may have none yet."""
    own = "" if account.role == "chain" else account.cafe
    return sorted({table.cafe for table in tables} | {own})


def _settings() -> HouseSettings:
    """Return the settings of the form.

    :raises Refused: `hours_out_of_range`, `unknown_language`.
    """
    hours: dict[str, int] = {}
    for what in ("quiet", "dark"):
        begins, ends = (request.form.get(f"{what}_{end}_h", -1, type=int) for end in ("from", "until"))
        hours |= {f"{what}_from_h": begins, f"{what}_until_h": ends} if begins != NEVER else {}
    if not set(hours.values()) <= set(range(24)):
        raise Refused(422, "hours_out_of_range", back="/offers")
    try:
        return convert({"language": request.form.get("language", ""), **hours}, HouseSettings)
    except ValidationError:
        raise Refused(422, "unknown_language", back="/offers") from None
