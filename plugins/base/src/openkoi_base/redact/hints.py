"""List the words that names of secrets contain."""

from collections.abc import Iterator

from .keywords import positions

HINTS = (
    *("pass", "pwd", "_pw", "secret", "token", "key", "auth", "cred", "webhook", "cookie", "jwt", "psk", "salt"),
    *("mnemonic", "bearer", "connstr", "conn_str", "connectionstr", "connection_str", "_pat", "sessionid"),
    *("bindpw", "rootpw", "adminpw"),
)


def find_hints(lower: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of hints in lower-case text; of overlapping hints the first, at one position the longer."""
    last = 0
    for start, end in sorted((at, -at - len(hint)) for hint in HINTS for at in positions(hint, lower)):
        if start >= last:
            last = -end
            yield start, last
