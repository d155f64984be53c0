"""The one HTTP door of providers and integrations: a library, without entry points.

A ``Wire`` is a pool of connections to one server; a ``Reading`` makes sense of one answer. Importing it is cheap:
httpx2 is imported when something is sent.
"""

from .arguments import read_arguments
from .bounds import Bounds
from .calls import Calls, buffered
from .cassette import Cassette, replays
from .conclusion import concluded
from .conversation import Conversation, written
from .counting import count, parsed
from .failures import reported
from .framing import Framing, Lines
from .history import Kept, Serialised
from .media import base64_of, data_url, media_after, result_media, result_text
from .names import as_id, as_name
from .server import Server
from .wire import Reading, Wire

__all__ = [
    "Bounds",
    "Calls",
    "Cassette",
    "Conversation",
    "Framing",
    "Kept",
    "Lines",
    "Reading",
    "Serialised",
    "Server",
    "Wire",
    "as_id",
    "as_name",
    "base64_of",
    "buffered",
    "concluded",
    "count",
    "data_url",
    "media_after",
    "parsed",
    "read_arguments",
    "replays",
    "reported",
    "result_media",
    "result_text",
    "written",
]
