"""Recognize responses that do not come from the model server: login pages, untrusted certificates."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .other_scheme import PLAIN

LOGIN_ADVICE = "If your network or proxy has a login page, log in with a browser. Otherwise check the base URL."
WEB_PAGE_MESSAGE = f"returned a web page instead of an API response. {LOGIN_ADVICE}"
NO_FILE_MESSAGE = (
    "returned a web page instead of a file. Check that the app is allowed to read files. "
    "If your network or proxy has a login page, log in with a browser."
)
AUTHORITY_ADVICE = (
    "If you trust it, set SSL_CERT_FILE to a PEM file with the certificate of the authority that signed it (a company "
    "proxy has its own)."
)
CERTIFICATE_ADVICE = (
    ("expired", "Check this machine's clock. If it is right, the server must renew its certificate."),
    ("not yet valid", "Check this machine's clock."),
    ("mismatch", f"Check the base URL. {LOGIN_ADVICE}"),
)
NOT_TRUSTED = lazy_pattern(r"CERTIFICATE_VERIFY_FAILED\](?: certificate verify failed:)? (.+?)(?: \(_ssl\.c:\d+\))?$")
NO_TLS = lazy_pattern(r"WRONG_VERSION_NUMBER|wrong version number|record layer failure|HTTP_REQUEST")
BOM = b"\xef\xbb\xbf"


def is_web_page(kind: str, start: bytes) -> bool:
    """Return whether a response is a web page, by content type and first bytes; JSON counts as JSON in any case."""
    first = start.removeprefix(BOM).lstrip()[:1]
    return first == b"<" or ("html" in kind and first not in (b"", b"{", b"["))


def replaces_file(headers: Mapping[str, str]) -> bool:
    """Return whether a response is a web page instead of the requested file, which may itself be a web page."""
    return "html" in headers.get("content-type", "") and "content-disposition" not in headers


def describe_redirect(status: int, headers: Mapping[str, str]) -> str:
    """Return the message for a redirect, which is not followed because the key would go with it."""
    try:
        host = urlsplit(headers.get("location", "")).hostname
    except ValueError:
        host = None
    return f"redirects to {host or 'another address'} ({status}). {LOGIN_ADVICE}"


def tls_problem(error: Exception) -> str:
    """Return the problem with a server's TLS or certificate and advice, or an empty string for another error."""
    return certificate_problem(error) or (PLAIN if NO_TLS.search(str(error)) else "")


def certificate_problem(error: Exception) -> str:
    """Return the problem with a server's certificate and advice, or an empty string for another error."""
    from ssl import SSLCertVerificationError

    own = (cause.verify_message for cause in walk_causes(error) if isinstance(cause, SSLCertVerificationError))
    recorded = NOT_TRUSTED.search(str(error))
    why = next(own, "") or (recorded[1] if recorded else "")
    if not why:
        return ""
    advice = next((advice for words, advice in CERTIFICATE_ADVICE if words in why), AUTHORITY_ADVICE)
    return f"has a certificate that is not trusted ({why}); nothing was sent. {advice}"


def walk_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
