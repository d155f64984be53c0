"""OpenAI's models, and every server that speaks Chat Completions."""

from .provider import OpenAI

__all__ = ["OpenAI"]
