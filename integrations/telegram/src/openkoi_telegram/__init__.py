"""Telegram as an app: a bot that users talk to."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .telegram import Telegram as Telegram
