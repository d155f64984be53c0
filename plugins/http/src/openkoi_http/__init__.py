"""The HTTP client of providers and integrations: a library without entry points.

An ``ApiClient`` is a pool of connections to one server; a ``ResponseReader`` parses one response. httpx2 is
imported for requests through proxies and cassettes, and for those that are not plain.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .api_client import ApiClient as ApiClient
    from .api_plugin import ApiPlugin as ApiPlugin
    from .app_client import AppClient as AppClient
    from .app_client import FormFile as FormFile
    from .arguments import parse_arguments as parse_arguments
    from .cassette import Cassette as Cassette
    from .cassette import is_replay as is_replay
    from .conversation import ConversationEncoder as ConversationEncoder
    from .conversation import encode_json as encode_json
    from .errors import error_from_body as error_from_body
    from .event_parser import ResponseReader as ResponseReader
    from .framing import JsonLines as JsonLines
    from .identity_cache import SerializedCache as SerializedCache
    from .identity_cache import ToolEncoder as ToolEncoder
    from .image_encoding import base64_of as base64_of
    from .image_encoding import data_url as data_url
    from .image_encoding import media_after as media_after
    from .image_encoding import result_media as result_media
    from .image_encoding import result_text as result_text
    from .limits import ResponseLimits as ResponseLimits
    from .parsing import parse_count as parse_count
    from .parsing import parse_object as parse_object
    from .server import Server as Server
    from .stream_end import finish_response as finish_response
    from .tool_calls import ToolCallFactory as ToolCallFactory
    from .tool_calls import make_buffered as make_buffered
    from .vectors import normalize as normalize
    from .vendor_names import to_vendor_id as to_vendor_id
    from .vendor_names import to_vendor_name as to_vendor_name
    from .web_socket import WebSocket as WebSocket
