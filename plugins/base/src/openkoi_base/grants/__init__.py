"""Read what a sandboxed plugin requests in its manifest, and check each access against it.

A library, without entry points.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .capabilities import NO_CAPABILITIES as NO_CAPABILITIES
    from .capabilities import Capabilities as Capabilities
    from .capabilities import read_capabilities as read_capabilities
    from .consent import CHANGED as CHANGED
    from .consent import HOOK_SECONDS as HOOK_SECONDS
    from .consent import UNASKED_HOOKS as UNASKED_HOOKS
    from .consent import Consent as Consent
    from .consent import explain_missing as explain_missing
    from .consent import revoke_command as revoke_command
    from .path_grants import PathGrant as PathGrant
    from .url_patterns import UrlPattern as UrlPattern
