"""Notion as an app: its pages are documents in Markdown."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .notion import Notion as Notion
