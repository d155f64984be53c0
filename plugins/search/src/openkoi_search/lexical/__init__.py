"""Embed words and word pieces for OpenKoi: no model, no download."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .embedder import Lexical as Lexical
