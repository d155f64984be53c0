"""Choose the environment variables that a plugin's process gets without requesting them."""

import os

VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "PYTHONPATH", "VIRTUAL_ENV", "OPENKOI_HOME")
NETWORK_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
NETWORK_KINDS = ("providers", "embedders")  # they call servers, and need to know how to reach them


def choose_variables(kind: str) -> dict[str, str]:
    """Return the variables for the process of a plugin of this kind."""
    network = NETWORK_VARIABLES if kind in NETWORK_KINDS else ()
    names = (*VARIABLES, *network, *map(str.lower, network))
    return {name: os.environ[name] for name in names if name in os.environ}
