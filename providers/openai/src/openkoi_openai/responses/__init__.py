"""The Responses API of OpenAI."""

from .answer import ResponsesParser
from .request import ResponsesRequestBuilder

__all__ = ["ResponsesParser", "ResponsesRequestBuilder"]
