"""The one HTTP door of providers and integrations: a library, without entry points.

A ``Wire`` is a pool of connections to one server; a ``Reading`` makes sense of one answer. Importing it is cheap:
httpx2 is imported when something is sent.
"""

from .arguments import read_arguments
from .bounds import Bounds
from .failures import reported
from .history import Kept, Serialised
from .server import Server
from .wire import Reading, Wire

__all__ = ["Bounds", "Kept", "Reading", "Serialised", "Server", "Wire", "read_arguments", "reported"]
