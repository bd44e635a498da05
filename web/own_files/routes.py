"""The host's pages of own files: a list with every problem in them, and the games' editors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.games.game import TableData
from appliance.games.table_data import content_of, read_toml, toml_of
from appliance.games.table_data_drafts import NAME, store_draft, stored_version, version_of
from appliance.games.table_data_files import Checked, check_file, files_in, games_with_files
from hardware.files.regular_file import UNDECODABLE, is_missing
from web.context import Web
from web.errors import Refused, must_save, or_refuse
from web.own_files.pictures import MOST_BYTES, picture_of, store_picture

DRAFT_MOST_BYTES = 256 * 1024
"""The largest request of an editor. The file made from it may have `appliance.games.table_data.MOST_BYTES`."""


def editors(web_app: Any) -> dict[str, TableData]:
    """Return the file readers of the games that have an editor page (`<game>/editor.html`), by game."""
    known = set(web_app.jinja_env.list_templates(extensions=["html"]))
    return {name: reader for name, reader in games_with_files().items() if f"{name}/editor.html" in known}


def blueprint(web: Web, app: Any) -> Blueprint:
    """Return the routes. All need the host's rights, and a folder of files."""
    bp = Blueprint("own_files", __name__, url_prefix="/host/files")
    readers = editors(app)
    saving = threading.Lock()

    @bp.before_request
    def host_only() -> ResponseReturnValue | None:
        if (locked := web.need_host(url_for("own_files.listed"))) is not None:
            return locked
        if web.site.files_folder is None:
            raise Refused(404, "not_found")
        return None

    def folder() -> Path:
        assert web.site.files_folder is not None, "asked before every request"
        return web.site.files_folder

    def named(name: str, file: str) -> TableData:
        """Return the reader for files of the game called `name`.

        :raises Refused: the game has no editor, `file` is not a valid name, or it is a file of another game.
        """
        if name not in readers:
            raise Refused(404, "not_found")
        if NAME.fullmatch(file) is None:
            raise Refused(422, "not_a_file_name", back=url_for("own_files.listed"))
        if checked(file).game not in (None, name):
            raise Refused(409, "file_of_another_game", back=url_for("own_files.listed"))
        return readers[name]

    def checked(file: str) -> Checked:
        return check_file(folder() / f"{file}.toml", web.language())

    @bp.get("")
    def listed() -> str:
        language = web.language()
        files = [(check_file(path, language), NAME.fullmatch(path.stem) is not None) for path in files_in(folder())]
        return render_template("own_files.html", files=files, editors=readers)

    @bp.post("")
    def begin() -> ResponseReturnValue:
        """Open the editor of a new file."""
        name, file = request.form.get("game", ""), request.form.get("file", "").strip().lower().replace(" ", "-")
        named(name, file)
        return redirect(url_for("own_files.edit", name=name, file=file))

    @bp.get("/<name>/<file>")
    def edit(name: str, file: str) -> str:
        reader, back = named(name, file), url_for("own_files.listed")
        path = folder() / f"{file}.toml"
        content = None if is_missing(path) else or_refuse(content_of(path), game=name, back=back)
        given = {} if content is None else or_refuse(toml_of(content), game=name, back=back)
        return render_template(
            f"{name}/editor.html",
            game_name=name,
            file_name=file,
            given=given,
            version="" if content is None else version_of(content),
            example=read_toml(reader.EXAMPLE),
            problems=_told(checked(file)) if given else [],
            has_picture=picture_of(folder(), file) is not None,
        )

    @bp.post("/<name>/<file>")
    def save(name: str, file: str) -> ResponseReturnValue:
        """Store the draft, valid or not, and return all its problems with their fields, and the file's new version.

        With a `version` in the address, a file that has another one by now is not replaced.
        """
        named(name, file)
        request.max_content_length = DRAFT_MOST_BYTES
        try:
            given = msgspec.json.decode(request.get_data(), type=dict[str, Any])
        except UNDECODABLE:
            raise Refused(400, "malformed_request") from None
        with must_save(), saving:
            if request.args.get("version") not in (None, stored_version(folder(), file)):
                raise Refused(409, "file_changed", values={"file": file})
            refused = store_draft(folder(), file, given)
            version = stored_version(folder(), file)
        or_refuse(refused, 422, game=name)
        found = checked(file)
        good = found.good is not None and found.game == name
        return {"good": good, "problems": list(_told(found)), "version": version}

    @bp.post("/<name>/<file>/picture")
    def take_picture(name: str, file: str) -> ResponseReturnValue:
        named(name, file)
        request.max_content_length = MOST_BYTES
        with must_save():
            size = store_picture(folder(), file, request.get_data())
        if size is None:
            raise Refused(422, "not_a_picture")
        return {"wide": size[0], "high": size[1]}

    @bp.get("/<name>/<file>/picture.jpg")
    def picture(name: str, file: str) -> Response:
        named(name, file)
        kept = picture_of(folder(), file)
        if kept is None:
            raise Refused(404, "not_found")
        return Response(kept, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})

    return bp


def _told(file: Checked) -> Iterator[dict[str, str]]:
    for problem in file.problems:
        yield {"code": problem.code, "field": problem.field, "sentence": problem.sentence}
