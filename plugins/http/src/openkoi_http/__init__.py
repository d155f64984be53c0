"""The HTTP client of providers and integrations: a library without entry points.

An ``ApiClient`` is a pool of connections to one server; a ``ResponseReader`` parses one response. httpx2 is
imported for requests through proxies and cassettes, and for those that are not plain.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .api_client import ApiClient
    from .api_plugin import ApiPlugin
    from .app_client import AppClient, FormFile
    from .arguments import parse_arguments
    from .cassette import Cassette, is_replay
    from .conversation import ConversationEncoder, encode_json
    from .errors import error_from_body
    from .event_parser import ResponseReader
    from .framing import JsonLines
    from .identity_cache import SerializedCache, ToolEncoder
    from .image_encoding import base64_of, data_url, media_after, result_media, result_text
    from .limits import ResponseLimits
    from .parsing import parse_count, parse_object
    from .server import Server
    from .stream_end import finish_response
    from .tool_calls import ToolCallFactory, make_buffered
    from .vectors import normalize
    from .vendor_names import to_vendor_id, to_vendor_name
    from .web_socket import WebSocket

__all__ = [
    "ApiClient",
    "ApiPlugin",
    "AppClient",
    "Cassette",
    "ConversationEncoder",
    "FormFile",
    "JsonLines",
    "ResponseLimits",
    "ResponseReader",
    "SerializedCache",
    "Server",
    "ToolCallFactory",
    "ToolEncoder",
    "WebSocket",
    "base64_of",
    "data_url",
    "encode_json",
    "error_from_body",
    "finish_response",
    "is_replay",
    "make_buffered",
    "media_after",
    "normalize",
    "parse_arguments",
    "parse_count",
    "parse_object",
    "result_media",
    "result_text",
    "to_vendor_id",
    "to_vendor_name",
]
