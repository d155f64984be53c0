"""Provide fake servers that speak the vendors' formats, on this machine, and fail as real ones do."""

from .anthropic import AnthropicServer
from .bedrock import BedrockServer
from .faults import ServerFault
from .google import GoogleServer
from .http_server import ReceivedRequest, ServerResponse
from .llmock import ForeignServerMissingError, LLMock
from .notion import NotionServer
from .ollama import OllamaServer
from .openai import OpenAIServer
from .say import Say
from .slack import SlackServer
from .telegram import TelegramServer
from .vendor_server import VendorServer

__all__ = [
    "AnthropicServer",
    "BedrockServer",
    "ForeignServerMissingError",
    "GoogleServer",
    "LLMock",
    "NotionServer",
    "OllamaServer",
    "OpenAIServer",
    "ReceivedRequest",
    "Say",
    "ServerFault",
    "ServerResponse",
    "SlackServer",
    "TelegramServer",
    "VendorServer",
]
