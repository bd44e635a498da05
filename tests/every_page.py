"""Every page of one game at the steps of its recorded games and of random ones, in both languages."""

from __future__ import annotations

import logging

import pytest

from tests.markup import faults
from tests.moments import moments_of
from tests.pages import Pages


def check_every_page(game: str, caplog: pytest.LogCaptureFixture, *, alike_too: bool) -> None:
    """Fail where a page cannot be made, is no HTML, or has no words for something.

    :param alike_too: look at every step, also at those that look like an earlier one.
    """
    pages, seen, looked_at = Pages(), set(), 0
    wrong: dict[str, str] = {}
    with caplog.at_level(logging.WARNING):
        for moment in moments_of(game):
            known = moment.told if alike_too else moment.looks
            if known in seen:
                continue
            seen.add(known)
            where = f"{moment.source} step {moment.step}"
            try:
                for page in pages.of(moment):
                    looked_at += 1
                    for fault in faults(page.html, game):
                        wrong.setdefault(fault, f"{where} {page.viewer} {page.language}")
            except Exception as error:  # whatever a template raises is the finding
                wrong.setdefault(f"{type(error).__name__}: {error}", where)
    wrong |= {record.getMessage(): "in the log" for record in caplog.records}
    assert looked_at > 1_000, looked_at
    assert not wrong, "\n".join(f"{what} ({where})" for what, where in sorted(wrong.items()))
