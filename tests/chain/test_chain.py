"""A small chain is killed, and nothing is lost. `make chain` does it with more tables."""

from __future__ import annotations

import pytest

from tests.chain.__main__ import main


@pytest.mark.soak
def test_a_small_chain_keeps_every_entry_once_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tables", "4", "--kills", "4", "--games", "1", "--database", "sqlite"]) == 0
    assert "every entry once and in order" in capsys.readouterr().out
