"""The hub's own certificates. Tables trust only the one in their invitation.

They are valid from 1970 to the end of 9999 (RFC 5280, 4.1.2.5: no well-defined end), because the clock of a table may
be a year off. If a key is leaked, all tables have to be invited again.
"""

from __future__ import annotations

import datetime

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

_FROM = datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC)
_TO = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)


class Certificates(tuple[bytes, bytes, bytes]):
    """The authority's certificate as DER, the broker's chain as PEM, and the broker's key as PEM."""


def new_certificates() -> Certificates:
    """Create an authority and one certificate that it signs for the broker. The authority's key is discarded.

    So it can never sign another certificate, and tables need not compare host names: the broker may move.
    """
    authority_key, key = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    ours = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Smugglers' Table hub")])
    broker = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker")])
    authority = _certificate(ours, ours, authority_key, authority_key, is_authority=True)
    certificate = _certificate(broker, ours, key, authority_key, is_authority=False)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return Certificates((authority.public_bytes(Encoding.DER), certificate.public_bytes(Encoding.PEM), private))


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: Ed25519PrivateKey,
    signing: Ed25519PrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_FROM)
        .not_valid_after(_TO)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=0 if is_authority else None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("broker")]), critical=False)
        .sign(signing, None)
    )
