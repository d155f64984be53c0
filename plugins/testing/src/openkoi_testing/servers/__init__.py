"""Provide fake servers that speak the vendors' formats, on this machine, and fail as real ones do."""

from .anthropic import AnthropicServer as AnthropicServer
from .bedrock import BedrockServer as BedrockServer
from .faults import ServerFault as ServerFault
from .google import GoogleServer as GoogleServer
from .http_server import ReceivedRequest as ReceivedRequest
from .http_server import ServerResponse as ServerResponse
from .llmock import ForeignServerMissingError as ForeignServerMissingError
from .llmock import LLMock as LLMock
from .notion import NotionServer as NotionServer
from .ollama import OllamaServer as OllamaServer
from .openai import OpenAIServer as OpenAIServer
from .say import Say as Say
from .slack import SlackServer as SlackServer
from .telegram import TelegramServer as TelegramServer
from .vendor_server import VendorServer as VendorServer
