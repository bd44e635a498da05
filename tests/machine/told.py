"""The table of what held, and its place in docs/pi.md, where each story's rows stay until it is run again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.machine.stories import STORIES, Row

HEAD = ("| story | what | held | figures |", "|---|---|---|---|")
START, END = "<!-- made: machine -->\n", "<!-- end -->"


def lines_of(rows: Iterable[Row]) -> list[str]:
    """Return the lines of the table, without its head."""
    return [f"| {row.story} | {row.what} | {'yes' if row.held else 'NO'} | {row.figures} |" for row in rows]


def filled(page: str, rows: Sequence[Row]) -> str:
    """Return the page with these rows instead of those that it has of the same stories."""
    before, _, rest = page.partition(START)
    kept, _, after = rest.partition(END)
    of_story: dict[str, list[str]] = {}
    for line in kept.splitlines()[len(HEAD) :]:
        of_story.setdefault(line.split("|")[1].strip(), []).append(line)
    of_story |= {row.story: [] for row in rows}
    for row, line in zip(rows, lines_of(rows), strict=True):
        of_story[row.story].append(line)
    table = [*HEAD, *(line for story in STORIES for line in of_story.get(story, ()))]
    return f"{before}{START}{chr(10).join(table)}\n{END}{after}"
