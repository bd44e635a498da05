"""The alert rules and the dashboard ask for figures that a hub has, and for problems that it knows."""

from __future__ import annotations

import json
import re
from typing import get_args

from appliance.hub.chain.tables_now import ProblemCode
from tests.places import DOCS
from tests.web.hub.conftest import StandingHub

ALERTS = (DOCS / "monitoring" / "hub-alerts.yml").read_text(encoding="utf-8")
DASHBOARD = json.loads((DOCS / "monitoring" / "hub-dashboard.json").read_text(encoding="utf-8"))


def known_problems() -> set[str]:
    return {code for part in get_args(ProblemCode) for code in (get_args(part) or (part,))}


def test_every_figure_that_is_asked_for_is_there(hub: StandingHub) -> None:
    hub.table("bay", "Anker")
    hub.reports("bay", scale="faulty")
    figures = hub.client().get("/metrics").text
    asked = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    names = set(re.findall(r"smugglers_\w+", " ".join(asked) + ALERTS))
    assert len(names) > 5
    assert [name for name in names if f"# TYPE {name} " not in figures] == []


def test_every_problem_has_an_alert_that_names_the_table_and_says_what_mends_it() -> None:
    alerting = {code for codes in re.findall(r'problem=~?"([a-z_|]+)"', ALERTS) for code in codes.split("|")}
    assert known_problems() - alerting == {"silent"}, "silence is told by its seconds"
    assert alerting <= known_problems()
    rules = ALERTS.split("- alert: ")[1:]
    assert [rule for rule in rules if "mend:" not in rule] == []
    assert [rule for rule in rules if rule.startswith("Table") and "$labels.table" not in rule] == []
