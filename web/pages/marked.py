"""Marks the changes between two texts word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from markupsafe import Markup, escape


def marked(new: str, old: str) -> Markup:
    """Return `new` as HTML: added and changed words in `<ins>`, deleted words of `old` in `<del>`."""
    before, after = (str(escape(text)).split() for text in (old, new))
    said = []
    for how, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        gone, come = " ".join(before[a:b]), " ".join(after[c:d])
        said.append(come if how == "equal" else f"<ins>{come}</ins>" if come else f"<del>{gone}</del>")
    # A single unchanged word ("the") between two changes is marked with them.
    return Markup(re.sub(r"</ins> ([^\W\d]+) <ins>", r" \1 ", " ".join(said)))  # noqa: S704  # every word was escaped
