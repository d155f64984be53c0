"""Chat Completions, the API that every compatible server has."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .answer import ChatResponseParser as ChatResponseParser
    from .request import ChatRequestBuilder as ChatRequestBuilder
    from .server_quirks import ServerQuirks as ServerQuirks
