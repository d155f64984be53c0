"""Load the trusted certificate authorities (TLS) once for all clients of a process: they take megabytes."""

import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ssl import SSLContext

HASHED_NAME = lazy_pattern(r"[0-9a-f]{8}\.\d+")


def load_authorities() -> "SSLContext":
    """Return the trusted certificate authorities; raises ConfigError."""
    try:
        return read_authorities(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    except OSError as error:
        text = f"Cannot read the certificates in SSL_CERT_FILE: {error}. Set it to a PEM file, or unset it."
        raise ConfigError(text) from None


@lru_cache(maxsize=4)
def read_authorities(file: str | None, folder: str | None) -> "SSLContext":
    """Read the certificate authorities of these places, or else those of the system."""
    from ssl import create_default_context

    if file:
        return create_default_context(cafile=file)
    if folder:
        return create_default_context(capath=folder)
    if sys.platform == "linux" and has_own_authorities():
        return create_default_context()
    from httpx2 import create_ssl_context  # which knows where other systems keep them

    return create_ssl_context()


def has_own_authorities() -> bool:
    """Return whether OpenSSL itself finds authorities: a file, or a folder of files named by their hashes."""
    from ssl import get_default_verify_paths

    paths = get_default_verify_paths()
    names = (file.name for file in Path(paths.capath).iterdir()) if paths.capath else ()
    return bool(paths.cafile) or any(map(HASHED_NAME.fullmatch, names))
