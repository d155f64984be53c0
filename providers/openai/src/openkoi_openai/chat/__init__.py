"""Chat Completions, the API that every compatible server has."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .answer import ChatResponseParser
    from .request import ChatRequestBuilder
    from .server_quirks import ServerQuirks

__all__ = ["ChatRequestBuilder", "ChatResponseParser", "ServerQuirks"]
