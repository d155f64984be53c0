"""Read what a sandboxed plugin asks for in its manifest, and check each access against it.

A library, without entry points.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .capabilities import NO_CAPABILITIES, Capabilities, read_capabilities
    from .path_grants import PathGrant
    from .url_patterns import UrlPattern

__all__ = ["NO_CAPABILITIES", "Capabilities", "PathGrant", "UrlPattern", "read_capabilities"]
