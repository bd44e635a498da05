"""Good files made bad: bytes turned, cut, doubled and crossed, numbers and words put where others were."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

NUMBERS = [
    *b"0 -0 1 -1 0.0 1e-320 1e308 -1e308 1e999 nan inf -inf NaN Infinity 0x7fffffff 2147483648 -2147483649 "
    b"9223372036854775808 18446744073709551616 1_000 007 .5 5. 1e 0.1e-400 true null \xd9\xa1\xd9\xa2".split(),
    b"9" * 400,
    b"1" * 5000,
    b"-" + b"0" * 300,
]
WORDS = (
    b"",
    b" ",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n\n",
    b",",
    b"{}",
    b"[]",
    b'""',
    b"[" * 3000,
    b'{"a":' * 1500,
    b"a." * 2000,
    b"\xf0\x9f\x8e\xb2",
    "\u202e\u0000\u001b[2J".encode(),
    b"\x1b]0;title\x07",
    b"%s%n",
    b"../../etc/passwd",
    b"A" * 70_000,
    b"=",
    b"#",
    b"'''",
    b"1979-05-27T07:32:00Z",
)

Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def _turned(rng: random.Random, good: bytes, others: Sequence[bytes]) -> bytes:
    bad = bytearray(good)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        if bad:
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
    return bytes(bad)


def _cut(rng: random.Random, good: bytes, _: Sequence[bytes]) -> bytes:
    return good[: rng.randrange(len(good) + 1)]


def _left_out(rng: random.Random, good: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = sorted(rng.randrange(len(good) + 1) for _ in range(2))
    return good[:begin] + good[min(end, begin + rng.choice((1, 16, 4096))) :]


def _doubled(rng: random.Random, good: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = sorted(rng.randrange(len(good) + 1) for _ in range(2))
    return good[:end] + good[begin:end] * rng.choice((1, 2, 5)) + good[end:]


def _crossed(rng: random.Random, good: bytes, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others)
    return good[: rng.randrange(len(good) + 1)] + other[rng.randrange(len(other) + 1) :]


def _put_in(rng: random.Random, good: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(good) + 1)
    return good[:at] + rng.choice(WORDS) + good[at:]


def _renumbered(rng: random.Random, good: bytes, _: Sequence[bytes]) -> bytes:
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?(?:e-?\d+)?", good[:200_000]))
    if not found:
        return _turned(rng, good, ())
    bad = good
    for number in sorted(rng.sample(found, min(len(found), rng.choice((1, 1, 2, 5)))), key=lambda m: -m.start()):
        bad = bad[: number.start()] + rng.choice(NUMBERS) + bad[number.end() :]
    return bad


def _reworded(rng: random.Random, good: bytes, _: Sequence[bytes]) -> bytes:
    found = list(re.finditer(rb"\"[^\"\n]*\"|[A-Za-z_]+", good[:200_000]))
    if not found:
        return _put_in(rng, good, ())
    word = rng.choice(found)
    instead = rng.choice((*WORDS, *NUMBERS, rng.choice(found)[0], b'"' + rng.choice(WORDS) + b'"'))
    return good[: word.start()] + instead + good[word.end() :]


def _mixed_lines(rng: random.Random, good: bytes, _: Sequence[bytes]) -> bytes:
    lines = good.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    if rng.random() < 0.5:
        del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def _noise(rng: random.Random, _: bytes, __: Sequence[bytes]) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 16, 1000, 100_000)))


MUTATIONS: tuple[Mutation, ...] = (
    _turned,
    _cut,
    _left_out,
    _doubled,
    _crossed,
    _put_in,
    _renumbered,
    _renumbered,
    _reworded,
    _mixed_lines,
    _noise,
)


def mutated(rng: random.Random, good: Sequence[bytes]) -> bytes:
    """Return one of the good files made bad, in one way or in a few."""
    bad = rng.choice(good)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        bad = rng.choice(MUTATIONS)(rng, bad, good)
    return bad
