"""What the pages of Customs say of its players."""

from __future__ import annotations

import re

from tests.moments import recorded
from tests.pages import Pages

CARD = re.compile(
    r'<article class="person [^"]*r-(\w+)[^"]*" id="person-(\d)">.*?<p class="role">([^<]*)</p>', re.DOTALL
)


def test_of_who_waits_it_is_said_in_words_whether_they_were_officer() -> None:
    """Each player is Officer for one round (CU-3): who still has to be, and who has been."""
    pages, officers, told = Pages(), list[int](), list[bool]()
    for moment in recorded("customs", "C-20"):
        officer = moment.snapshot.state.officer
        if officer is not None and officer not in officers:
            officers.append(officer)
        for role, seat, said in CARD.findall(pages.wall(moment, "en")):
            if role == "waits":
                told.append(int(seat) in officers)
                assert said == ("Was Officer" if told[-1] else "Waiting")
    assert {True, False} == set(told)
