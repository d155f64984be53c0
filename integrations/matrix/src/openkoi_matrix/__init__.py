"""Matrix as an app: an account that users talk to."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .matrix import Matrix as Matrix
