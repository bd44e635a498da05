"""The form of a new account: what is typed, and the page that shows it again with why it was refused."""

from __future__ import annotations

from typing import Any

from flask import render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.hub.people.accounts import PASSWORD_LEAST, PASSWORD_MOST
from web.errors import Refused
from web.hub.context import HubWeb


def typed_account() -> tuple[str, str]:
    """Return the name and the password of the form.

    :raises Refused: `not_a_name`, `not_a_password`.
    """
    name, password = request.form.get("name", "").strip(), request.form.get("password", "")
    if not is_name(name):
        raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME})
    if not PASSWORD_LEAST <= len(password) <= PASSWORD_MOST:
        raise Refused(422, "not_a_password", values={"least": PASSWORD_LEAST})
    return name, password


def page_with_form(web: HubWeb, page: str, refused: Refused | None = None, **shown: Any) -> ResponseReturnValue:
    """Return a page with the form. After a refusal it shows the reason and the typed values except the password."""
    why = "" if refused is None else web.speech().rejected(refused.rejection)
    typed = request.form.to_dict()
    made = render_template(f"hub/{page}.html", why=why, typed=typed, least=PASSWORD_LEAST, **shown)
    return made, 200 if refused is None else refused.status
