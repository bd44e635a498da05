"""The API's answers as structs. Their schemas in the OpenAPI document are generated from these types."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, get_args, get_type_hints

import msgspec
from apispec import APISpec
from flask import Response
from flask_smorest import Blueprint
from marshmallow import Schema

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Prompt, Question
from appliance.service.outside.events import PublicEvent
from appliance.service.outside.table_status import TableStatus
from appliance.snapshot import AmendmentPreview, Announcement, Pending

View = TypeVar("View", bound=Callable[..., Any])
_WHERE = "#/components/schemas/"
_encode = msgspec.json.Encoder().encode


class LobbyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """No game is open."""

    version: int
    game: None = None


class ViewAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What one viewer may know of the open game: `view` is the game's own, `prompts` what it asks now."""

    version: int
    game: str
    hardware: str
    view: Any
    prompts: tuple[Prompt, ...]
    pending: Pending | None
    question: Question | None
    log: tuple[Announcement, ...]


class PreviewAnswer(AmendmentPreview, frozen=True, kw_only=True):
    """What an amendment would change. `message` says why later actions would become impossible, or is null."""

    message: str | None


def given(answer: msgspec.Struct) -> Response:
    """Return `answer` as JSON."""
    return Response(_encode(answer), mimetype="application/json")


def schema_of(*answers: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the schema of an answer that is one of `answers`. It refers to the schemas that `describe` defines."""
    kinds = [{"$ref": f"{_WHERE}{answer.__name__}"} for answer in answers]
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def describe(spec: APISpec) -> None:
    """Define the schemas of all answers in the API's document, including the views of every game."""
    for name, schema in _schemas().items():
        spec.components.schema(name, component=schema)


@cache
def _schemas() -> Mapping[str, Any]:
    """Return the schemas of all answers by name. They depend on types alone, so all applications share them."""
    views = [view for name in GAMES for view in _views_of(name)]
    answers = (LobbyAnswer, ViewAnswer, PreviewAnswer, PublicEvent, TableStatus)
    made = msgspec.json.schema_components((*answers, *views), ref_template=_WHERE + "{name}")
    # Types of games are named after the game, not after their module.
    short = re.sub(r"\bappliance\.games\.(\w+)\.(?:\w+\.)*(\w+)", r"\1.\2", json.dumps(made))
    kinds, schemas = json.loads(short)
    schemas["ViewAnswer"]["properties"]["view"] = {"anyOf": kinds[len(answers) :]}
    return MappingProxyType(schemas)


def _views_of(name: str) -> tuple[type[msgspec.Struct], ...]:
    """Return the struct types that a game's rules return as views."""
    said = get_type_hints(type(the_game(name).rules).view)["return"]
    return get_args(said) or (said,)


class Route(Protocol):
    """`routed` for one blueprint."""

    def __call__(
        self, rule: str, takes: type[Schema], gives: type[Schema] | dict[str, Any], *, location: str = "json"
    ) -> Callable[[View], View]:
        """Route `rule` to a view."""
        ...


def routed(
    bp: Blueprint,
    rule: str,
    takes: type[Schema],
    gives: type[Schema] | dict[str, Any],
    *,
    location: str = "json",
    content_type: str = "application/json",
) -> Callable[[View], View]:
    """Route `rule`, such as "POST /undo", to a view that gets the validated body. smorest's decorators are untyped."""
    method, path = rule.split(" ")

    def add(view: View) -> View:
        answers = bp.response(200, gives, content_type=content_type)(view)
        bp.route(path, methods=[method])(bp.arguments(takes(), location=location)(answers))
        return view

    return add
