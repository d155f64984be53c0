"""The Responses API of OpenAI."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .answer import ResponsesParser as ResponsesParser
    from .request import ResponsesRequestBuilder as ResponsesRequestBuilder
