"""Ask before OpenKoi does something irreversible. The guard catches accidents; it is not a security boundary."""

from .permission_hook import Guard

__all__ = ["Guard"]
