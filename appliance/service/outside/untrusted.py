"""Why the certificate of a server is not trusted."""

from __future__ import annotations

import ssl


def why_untrusted(error: BaseException | None) -> str:
    """Return OpenSSL's reason against a server's certificate; "" if `error` is another one."""
    return error.verify_message if isinstance(error, ssl.SSLCertVerificationError) else ""
