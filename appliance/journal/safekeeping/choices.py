"""The files of what the owner and the host chose: the owner's PIN, and the host's language and quiet hours."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any

import msgspec

from appliance.journal.codes import RecordsRemark
from appliance.journal.safekeeping.spared import DamagedError, Decode, decoded, mend, write_spared

OWNER, HOST = "owner.json", "host.json"
_LOST: dict[str, RecordsRemark] = {OWNER: "owner_lost", HOST: "host_lost"}


class OwnersChoices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`pin`: salt and hash, or "" for none. `done`: the first start is finished.

    `digest`: of the other two, so that an altered file is known; "": a former release wrote the file.
    """

    pin: Annotated[str, msgspec.Meta(pattern=r"\A([0-9a-f]{32}:[0-9a-f]{128})?\Z")] = ""
    done: bool = False
    digest: str = ""


def write_owners(file: Path, choices: OwnersChoices) -> None:
    """Write the owner's file and its spare.

    :raises OSError: one of them cannot be written.
    """
    write_spared(file, msgspec.json.encode(msgspec.structs.replace(choices, digest=_digest(choices))))


def decode_owners(content: bytes) -> OwnersChoices:
    """Return what the owner's file says.

    :raises DamagedError: it cannot be decoded, or was altered.
    """
    choices = decoded(content, OwnersChoices)
    if choices.digest not in ("", _digest(choices)):
        raise DamagedError
    return choices


def decode_hosts(content: bytes) -> dict[str, Any]:
    """Return what the host's file says, by name. No value is checked.

    :raises DamagedError: it cannot be decoded.
    """
    return decoded(content, dict[str, Any])


def mend_choices(folder: Path) -> dict[str, RecordsRemark]:
    """Restore both files of a data folder where they are damaged. Return the remark's code by the file's name.

    :raises OSError: the folder cannot be read or written.
    """
    decoders: tuple[tuple[str, Decode[object]], ...] = ((OWNER, decode_owners), (HOST, decode_hosts))
    mended = {name: mend(folder / name, decode) for name, decode in decoders}
    return {name: "choices_restored" if how == "restored" else _LOST[name] for name, how in mended.items() if how}


def _digest(choices: OwnersChoices) -> str:
    text = f"{choices.pin} {choices.done}".encode()
    return hashlib.blake2b(text, digest_size=16, person=b"smugglers-owner").hexdigest()
