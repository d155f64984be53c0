"""Search texts by words, meaning, neighbours and names: a library for plugins that store texts."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .index import TextIndex as TextIndex
    from .index import make_index as make_index
