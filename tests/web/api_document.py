"""The API's own document, held against what the API answers, by a validator of JSON Schema."""

from __future__ import annotations

import re
from typing import Any

from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

METHODS = {"get", "put", "post"}
JSON = "application/json"


def closed(schema: Any) -> Any:
    """Return a schema that allows no field that it does not name: what is answered must be described."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {key: closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **inside} if isinstance(schema.get("properties"), dict) else inside


class Document:
    """The document as the API gives it, and which of its operations were seen to answer and to refuse."""

    def __init__(self, client: FlaskClient) -> None:
        self.document: dict[str, Any] = client.get("/api/v1/openapi.json").get_json()
        self._schemas = {name: closed(one) for name, one in self.document["components"]["schemas"].items()}
        self.seen: set[tuple[str, str]] = set()

    def operations(self) -> set[str]:
        paths = self.document["paths"].items()
        return {f"{method.upper()} {path}" for path, inside in paths for method in inside if method in METHODS}

    def operation(self, method: str, path: str) -> tuple[str, dict[str, Any]]:
        for template, methods in self.document["paths"].items():
            if re.fullmatch(re.sub(r"\{\w+\}", r"[^/]+", template), path) and method.lower() in methods:
                return f"{method} {template}", methods[method.lower()]
        raise AssertionError(f"{method} {path} is not in the document")

    def problems(self, schema: dict[str, Any], value: Any) -> list[str]:
        whole = {**closed(schema), "components": {"schemas": self._schemas}}
        return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(whole).iter_errors(value)]

    def ask(self, client: FlaskClient, method: str, path: str, **body: Any) -> Any:
        """Send a request, hold its answer against the document, and return it."""
        answer = client.open(f"/api/v1{path}", method=method, json=body or None)
        name, operation = self.operation(method, f"/api/v1{path.partition('?')[0]}")
        self.check(name, operation, answer)
        return answer

    def check(self, name: str, operation: dict[str, Any], answer: Any) -> None:
        described = operation["responses"].get(str(answer.status_code), operation["responses"]["default"])
        if "$ref" in described:
            described = self.document["components"]["responses"][described["$ref"].rpartition("/")[2]]
        assert answer.mimetype == JSON
        assert self.problems(described["content"][JSON]["schema"], answer.json) == [], (name, answer.text)
        self.seen.add((name, "answers" if answer.status_code < 400 else "refuses"))
