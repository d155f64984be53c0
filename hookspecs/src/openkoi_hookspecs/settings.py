"""Markers for a plugin's constructor: which settings and folders it is given.

An entry point names a callable, and its keyword parameters are its configuration: names, types, defaults and help are
read from the signature, values from the table ``[<kind>.<name>]``. A marker in ``Annotated`` names a second place to
look. Parameters that TOML cannot write are seams for tests. A module (of hooks) is taken as it is.

    def __init__(self, *, api_key: Annotated[str, Env("ACME_API_KEY", secret=True)], timeout: float = 60.0) -> None:
"""

from dataclasses import KW_ONLY

from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Env:
    """A variable; it outranks the file. A secret is looked up among saved credentials too, and redacted everywhere."""

    variable: str
    _: KW_ONLY
    secret: bool = False


@dataclass(frozen=True, slots=True)
class DataDir:
    """A path below OpenKoi's data folder, private to its user."""

    path: str


@dataclass(frozen=True, slots=True)
class SharedSetting:
    """A setting of a common table, such as ``memory.max_storage_mb``, for a plugin whose own table says nothing.

    A whole table may be shared, too: ``mcp.servers``, whose type is a mapping or a dataclass.
    """

    key: str


@dataclass(frozen=True, slots=True)
class Inject:
    """Another plugin, named in the configuration and built by the kernel: an embedder for a memory."""

    kind: str
    default: str = ""
