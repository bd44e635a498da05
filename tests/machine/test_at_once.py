"""Several stories run at once; their rows come in the order of the table, whichever ends first."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.machine import __main__ as command
from tests.machine.packages import CannotRunError, Kernel
from tests.machine.stories import Row
from tests.patience import GIVEN_UP_S


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A machine on which everything is there that stories need."""
    kernel = Kernel("6.1", tmp_path)
    for name, given in {"need": None, "kernel": kernel, "wires_module": tmp_path, "cache_folder": tmp_path}.items():
        monkeypatch.setattr(command, name, lambda *_, given=given: given)
    return monkeypatch


def test_two_stories_run_beside_each_other(machine: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    both = threading.Barrier(2, timeout=GIVEN_UP_S)

    def story(name: str) -> list[Row]:
        both.wait()
        return [Row(name, "met the other", True)]

    machine.setattr(command, "STORIES", {name: lambda *_, name=name: story(name) for name in ("first", "second")})
    assert [row.story for row in command.run(["second", "first"], 2)[1]] == ["first", "second"]
    assert capsys.readouterr().out.count("met the other") == 2


def lacking(*_: object) -> list[Row]:
    raise CannotRunError("root is needed")


def test_what_one_story_lacks_is_a_row_beside_those_of_the_others(machine: pytest.MonkeyPatch) -> None:
    held = Row("whole", "it ran", True)
    machine.setattr(command, "STORIES", {"lacking": lacking, "whole": lambda *_: [held]})
    _, rows = command.run(["lacking", "whole"], 2)
    assert rows == [Row("lacking", "the story runs here", False, "root is needed"), held]


def test_where_no_story_runs_it_is_said_why(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(command, "STORIES", {"lacking": lacking})
    with pytest.raises(CannotRunError, match="root is needed"):
        command.run(["lacking"], 2)
