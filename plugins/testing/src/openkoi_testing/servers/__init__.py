"""Servers that speak as the vendors' do, on this machine, and break as real ones break."""

from .faults import Fault
from .http import Seen, Served
from .llmock import LLMock, PeerMissing
from .openai import OpenAIServer
from .say import Say

__all__ = ["Fault", "LLMock", "OpenAIServer", "PeerMissing", "Say", "Seen", "Served"]
