"""Sealed commits: a phone can prove later what was hidden. The opened sphere counts in any case (RULES §1.13)."""

from __future__ import annotations

import hashlib
import re

from appliance.games.protocol import Choice, OneOf, Prompt, Rejection, Text
from appliance.games.smugglers.rules.actions import PIECES, Commit, Unseal
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.state import Rolling, Sculpting, State
from appliance.games.smugglers.rules.step_builder import StepBuilder

SEAL_PATTERN = "^[0-9a-f]{64}$"
SALT_PATTERN = "^[0-9a-f]{32}$"
SHOWN: dict[str, Choice] = {"piece": OneOf(PIECES), "salt": Text(SALT_PATTERN)}


def seal_of(piece: str, salt: str) -> str:
    """Return the seal of a piece: SHA-256 over the 16 bytes of `salt` (hexadecimal) and the piece's name."""
    return hashlib.sha256(bytes.fromhex(salt) + piece.encode()).hexdigest()


def sealing_closed(state: State, action: Commit) -> Rejection | None:
    """Return the rejection of a commit outside the sculpting, else None."""
    if isinstance(state.stage, Sculpting):
        return None
    return reject("sealing_closed", "SM-27", {"seat": action.seat})


def commit(builder: StepBuilder, action: Commit) -> Rejection | None:
    """Store a seal. A later one replaces it until the hourglass has run out (SM-27)."""
    if not re.fullmatch(SEAL_PATTERN, action.seal):
        return reject("no_such_seal", "SM-22", {"seat": action.seat})
    builder.change_player(action.seat, seal=action.seal)
    builder.tell("piece_sealed", "SM-22", seat=action.seat)
    return None


def unseal(builder: StepBuilder, action: Unseal) -> Rejection | None:
    """Compare the sealed piece with the opened one. The result is announced and has no other effect."""
    sealed = builder.state.players[action.seat].opened_seal
    if sealed is None:
        return reject("nothing_to_unseal", "SM-68", {"seat": action.seat})
    if not re.fullmatch(SALT_PATTERN, action.salt):
        return reject("no_such_salt", "SM-22", {"seat": action.seat})
    held = seal_of(action.piece, action.salt) == sealed.seal and sealed.found == (action.piece,)
    builder.change_player(action.seat, opened_seal=None)
    builder.tell("seal_held" if held else "seal_differed", "SM-68", seat=action.seat)
    return None


def unsealable(state: State) -> list[Prompt]:
    """Return the prompts to prove opened seals.

    They stay open until the next round's first roll, because the last opening ends its round.
    """
    just_ended = state.round - 1 if isinstance(state.stage, Rolling) and not state.blind else state.round
    sealed = [(seat, state.players[seat].opened_seal) for seat in state.here()]
    return [
        Prompt(prompt=f"r{seal.round}.unseal.seat{seat}", seat=seat, do="unseal", choices=SHOWN, optional=True)
        for seat, seal in sealed
        if seal is not None and seal.round >= just_ended
    ]
