"""Registers the API, and the document that describes it."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, get_args, get_type_hints

import msgspec
from flask import Flask, Response

from appliance.games.catalogue import GAMES, the_game
from web.context import Web
from web.routes.api import corrections, games, play, public, seats
from web.routes.bodies import ErrorBody
from web.routes.evening import kept_rolls
from web.routes.operations import JSON, ApiBlueprint, Operation, Struct

_PREFIX = "/api/v1"
_WHERE = "#/components/schemas/"
_ARGUMENT = re.compile(r"<int:(\w+)>")


def register(app: Flask, web: Web) -> None:
    """Add the API and its document to `app`."""
    parts = (_blueprint(web), public.blueprint(web), kept_rolls.api_blueprint(web))
    for routes in parts:
        app.register_blueprint(routes, url_prefix=_PREFIX)

    @cache
    def document() -> bytes:
        return msgspec.json.encode(_document(parts))

    @app.get(f"{_PREFIX}/openapi.json")
    def openapi() -> Response:
        return Response(document(), mimetype=JSON)


def _blueprint(web: Web) -> ApiBlueprint:
    api = ApiBlueprint("api", __name__, description="What the pages themselves use.")
    for part in (play, corrections, games, seats):
        part.add(api, web)
    return api


def _document(parts: Sequence[ApiBlueprint]) -> dict[str, Any]:
    """Return the OpenAPI document of the operations."""
    paths: dict[str, dict[str, Any]] = {}
    for part in parts:
        for operation in part.operations:
            path = paths.setdefault(_PREFIX + _ARGUMENT.sub(r"{\1}", operation.path), {})
            path[operation.method.lower()] = {**_described(operation), "tags": [part.name]}
    refused = {"description": "Refused, or failed.", "content": {JSON: {"schema": _reference(ErrorBody)}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Smugglers' Table", "version": "v1"},
        "tags": [{"name": part.name, "description": part.description} for part in parts],
        "paths": paths,
        "components": {
            "schemas": dict(_schemas(tuple(kind for part in parts for kind in _kinds_of(part)))),
            "responses": {"DEFAULT_ERROR": refused},
        },
    }


def _described(operation: Operation) -> dict[str, Any]:
    summary, _, description = inspect.cleandoc(operation.doc).partition("\n\n")
    kinds = [_reference(kind) for kind in operation.gives]
    answer = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    described: dict[str, Any] = {
        "summary": summary,
        "parameters": [*_arguments(operation.path), *_parameters(operation.query)],
        "responses": {
            "200": {"description": "OK", "content": {operation.content_type: {"schema": answer}}},
            "default": {"$ref": "#/components/responses/DEFAULT_ERROR"},
        },
    }
    if description:
        described["description"] = description
    if operation.body is not None:
        described["requestBody"] = {"required": True, "content": {JSON: {"schema": _reference(operation.body)}}}
    return described


def _arguments(path: str) -> Iterator[dict[str, Any]]:
    for name in _ARGUMENT.findall(path):
        yield {"in": "path", "name": name, "required": True, "schema": {"type": "integer", "minimum": 0}}


def _parameters(query: Struct | None) -> Iterator[dict[str, Any]]:
    if query is not None:
        described = msgspec.json.schema_components([query])[1][query.__name__]
        for name, schema in described["properties"].items():
            yield {"in": "query", "name": name, "required": name in described["required"], "schema": schema}


def _kinds_of(part: ApiBlueprint) -> Iterator[Struct]:
    """Yield the types of all bodies and answers."""
    yield ErrorBody
    for operation in part.operations:
        yield from operation.gives
        if operation.body is not None:
            yield operation.body


def _reference(kind: Struct) -> dict[str, str]:
    return {"$ref": f"{_WHERE}{kind.__name__}"}


@cache
def _schemas(kinds: tuple[Struct, ...]) -> Mapping[str, Any]:
    """Return the schemas of `kinds` and of every game's views by name. All applications share them."""
    views = [view for name in GAMES for view in _views_of(name)]
    made = msgspec.json.schema_components((*kinds, *views), ref_template=_WHERE + "{name}")
    # Types of games are named after the game, not after their module.
    short = re.sub(r"\bappliance\.games\.(\w+)\.(?:\w+\.)*(\w+)", r"\1.\2", json.dumps(made))
    references, schemas = json.loads(short)
    schemas["ViewAnswer"]["properties"]["view"] = {"anyOf": references[len(kinds) :]}
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = inspect.cleandoc(schema["description"])
    return MappingProxyType(schemas)


def _views_of(name: str) -> tuple[Struct, ...]:
    """Return the struct types that a game's rules return as views."""
    said = get_type_hints(type(the_game(name).rules).view)["return"]
    return get_args(said) or (said,)
