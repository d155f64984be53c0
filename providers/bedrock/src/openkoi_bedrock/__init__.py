"""Models behind AWS Bedrock for OpenKoi: Converse and ConverseStream."""

from .provider import Bedrock

__all__ = ["Bedrock"]
