"""Why the system refused a file or an address is told in the reader's language."""

from __future__ import annotations

import errno
import os

import pytest

from appliance.words.catalogues import LANGUAGES, words_for
from appliance.words.errors import unusable
from tests.places import ROOT

REFUSALS = [
    *(errno.EACCES, errno.EPERM, errno.ENOENT, errno.EROFS, errno.EIO, errno.EISDIR, errno.ENOTDIR, errno.EADDRINUSE),
    *(
        errno.EADDRNOTAVAIL,
        errno.ENOMEDIUM,
        errno.ENODEV,
        errno.ETIMEDOUT,
        errno.EBUSY,
        errno.ECONNREFUSED,
        errno.EFBIG,
    ),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("number", REFUSALS, ids=errno.errorcode.get)
def test_the_systems_own_english_is_not_quoted(language: str, number: int) -> None:
    error = unusable(ROOT, OSError(number, os.strerror(number)))
    said = words_for(language).say(f"error.{error.code}", error.values)
    assert os.strerror(number) not in said
    assert len(said) > len(words_for(language).say(f"error.{error.code}", error.values | {"reason": ""}))


def test_a_reason_without_words_is_quoted() -> None:
    assert "Owner died" in words_for("de").say(
        "error.file_unusable", {"path": "/x", "reason": os.strerror(errno.EOWNERDEAD)}
    )
