"""List the words that names of secrets contain."""

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .keywords import any_of

HINTS = (
    *("pass", "pwd", "_pw", "secret", "token", "key", "auth", "cred", "webhook", "cookie", "jwt", "psk", "salt"),
    *("mnemonic", "bearer", "connstr", "conn_str", "connectionstr", "connection_str", "_pat", "sessionid"),
    *("bindpw", "rootpw", "adminpw"),
)
HINT = lazy_pattern(any_of(HINTS))
