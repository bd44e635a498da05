"""The rows of a story that is run again take the place of its former ones; those of the others stay."""

from __future__ import annotations

from tests.machine.stories import Row
from tests.machine.told import filled

PAGE = """Before.

<!-- made: machine -->
| story | what | held | figures |
|---|---|---|---|
| short | boots | yes | 9 s |
| load | reads | NO | share 0.5 |
| load | ends | yes | 80 s |
<!-- end -->

After.
"""


def test_a_story_that_is_run_again_replaces_its_own_rows_alone() -> None:
    page = filled(PAGE, [Row("load", "reads", True, "share 0.99")])
    assert page == PAGE.replace(
        "| load | reads | NO | share 0.5 |\n| load | ends | yes | 80 s |", "| load | reads | yes | share 0.99 |"
    )


def test_stories_stand_in_their_order_whenever_they_were_run() -> None:
    page = filled(PAGE, [Row("kiosk", "picture", True), Row("iio", "counts", True)])
    told = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    assert told == ["story", "short", "load", "load", "iio", "kiosk"]
    assert page.startswith("Before.\n")
    assert page.endswith("\nAfter.\n")
