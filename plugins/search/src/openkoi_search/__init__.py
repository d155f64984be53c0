"""Retrieve texts by words, embeddings, neighbours and names: a search library for plugins that store texts."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .index import TextIndex as TextIndex
    from .index import make_index as make_index
