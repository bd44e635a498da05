"""Templates write what `markupsafe.escape` would, and nothing unsafe gets through."""

from __future__ import annotations

import enum
from typing import Any

import jinja2
import pytest
from flask import Flask
from markupsafe import Markup, escape

from tests.web.stand import Stand
from web.quick_escape import written


class Drawn:
    def __html__(self) -> str:
        return "<i>drawn</i>"


class Loud(str):
    pass


class Mode(enum.IntEnum):
    FAST = 3


VALUES = [
    *(0, -7, 2.5, 1e300, True, None, (1, "<"), {"a": "'"}, Mode.FAST),
    *("", "plain", "a < b & c > \"d\" 'e'", "Grüße", Loud("<b>"), Markup("<b>safe</b>"), Drawn(), jinja2.Undefined()),
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_what_is_written_is_what_is_escaped(value: Any) -> None:
    assert str(written(value)) == str(escape(value))


def test_the_tables_templates_escape(stand: Stand) -> None:
    app: Flask = stand.app
    template = app.jinja_env.overlay(autoescape=True).from_string(
        "{{ text }}{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(text) }}{{ 1 + 1 }}"
    )
    assert template.render(text="<script>") == "&lt;script&gt;[&lt;script&gt;]2"
