"""Recognize that something else than the model server answers: a login page, a certificate that is not trusted.

Knows bytes and errors; opens no connection.
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

LOGIN = "If this network or a proxy has a login page, log in with a browser; otherwise check the base URL."
PAGE = f"answered with a web page instead of a model's answer. {LOGIN}"
AUTHORITY = (
    "If you trust it, set SSL_CERT_FILE to a PEM file with the certificate of the authority that signed it (a company "
    "proxy has its own)."
)
ADVICE = (
    ("expired", "Check this machine's clock; if it is right, the certificate has to be renewed."),
    ("not yet valid", "Check this machine's clock."),
    ("mismatch", f"Check the base URL. {LOGIN}"),
)
NOT_TRUSTED = re.compile(r"CERTIFICATE_VERIFY_FAILED\](?: certificate verify failed:)? (.+?)(?: \(_ssl\.c:\d+\))?$")
NO_TLS = re.compile(r"WRONG_VERSION_NUMBER|wrong version number|record layer failure|HTTP_REQUEST")
PLAIN = "does not speak TLS; nothing was sent. If it is a server of yours, begin the base URL with http://."
BOM = b"\xef\xbb\xbf"


def is_web_page(kind: str, start: bytes) -> bool:
    """Whether an answer is a web page, by its content type and first bytes; JSON is read whatever it is called."""
    first = start.removeprefix(BOM).lstrip()[:1]
    return first == b"<" or ("html" in kind and first not in (b"", b"{", b"["))


def redirected(status: int, headers: Mapping[str, str]) -> str:
    """What a redirect means, which is never followed: the key would go with it."""
    try:
        host = urlsplit(headers.get("location", "")).hostname
    except ValueError:
        host = None
    return f"redirects to {host or 'another address'} ({status}). {LOGIN}"


def not_secure(error: Exception) -> str:
    """What is wrong with a server's TLS or certificate, and what to do; empty for an error that is not about them."""
    return not_trusted(error) or (PLAIN if NO_TLS.search(str(error)) else "")


def not_trusted(error: Exception) -> str:
    """What is wrong with a server's certificate, and what to do; empty for an error that is not about one."""
    from ssl import SSLCertVerificationError

    own = (one.verify_message for one in causes(error) if isinstance(one, SSLCertVerificationError))
    recorded = NOT_TRUSTED.search(str(error))
    why = next(own, "") or (recorded[1] if recorded else "")
    if not why:
        return ""
    advice = next((advice for words, advice in ADVICE if words in why), AUTHORITY)
    return f"has a certificate that is not trusted ({why}); nothing was sent. {advice}"


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and all that it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
