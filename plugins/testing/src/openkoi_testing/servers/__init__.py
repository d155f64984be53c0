"""Servers that speak as the vendors' do, on this machine, and break as real ones break."""

from .anthropic import AnthropicServer
from .bedrock import BedrockServer
from .faults import Fault
from .google import GoogleServer
from .http import Seen, Served
from .llmock import LLMock, PeerMissing
from .ollama import OllamaServer
from .openai import OpenAIServer
from .say import Say
from .vendor import VendorServer

__all__ = [
    "AnthropicServer",
    "BedrockServer",
    "Fault",
    "GoogleServer",
    "LLMock",
    "OllamaServer",
    "OpenAIServer",
    "PeerMissing",
    "Say",
    "Seen",
    "Served",
    "VendorServer",
]
