"""Read what a sandboxed plugin asks for in its manifest, and check each access against it.

A library, without entry points.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .capabilities import NO_CAPABILITIES, Capabilities, read_capabilities
    from .consent import CHANGED, HOOK_SECONDS, UNASKED_HOOKS, Consent, explain_missing, revoke_command
    from .path_grants import PathGrant
    from .url_patterns import UrlPattern

__all__ = [
    "CHANGED",
    "HOOK_SECONDS",
    "NO_CAPABILITIES",
    "UNASKED_HOOKS",
    "Capabilities",
    "Consent",
    "PathGrant",
    "UrlPattern",
    "explain_missing",
    "read_capabilities",
    "revoke_command",
]
