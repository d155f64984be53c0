"""Anthropic's models for OpenKoi, in their own protocol."""

from .provider import Anthropic

__all__ = ["Anthropic"]
