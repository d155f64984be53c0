"""Markers for a plugin's constructor: which settings and folders it receives.

An entry point names a callable, and its keyword parameters are its configuration: names, types, defaults and help are
read from the signature, values from the table ``[<kind>.<name>]``. A marker in ``Annotated`` names another
source. Parameters that TOML cannot express are for tests. A module (of hooks) is used as it is.

    def __init__(self, *, api_key: Annotated[str, Env("ACME_API_KEY", secret=True)], timeout: float = 60.0) -> None:
"""

from dataclasses import KW_ONLY

from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Env:
    """An environment variable; it overrides the file. A secret is also looked up in saved credentials and redacted."""

    variable: str
    _: KW_ONLY
    secret: bool = False


@dataclass(frozen=True, slots=True)
class DataDir:
    """A path below OpenKoi's data folder, private to its user."""

    path: str


@dataclass(frozen=True, slots=True)
class SharedSetting:
    """A setting of a common table, such as ``memory.max_storage_mb``, used if the plugin's own table lacks it.

    A whole table may be shared as well: ``mcp.servers``, whose type is a mapping or a dataclass.
    """

    key: str


@dataclass(frozen=True, slots=True)
class Inject:
    """Another plugin, named in the configuration and created by the kernel: an embedder for a memory."""

    kind: str
    default: str = ""
