"""Mask secrets in everything that is written: a library, without entry points.

``Redactor`` masks text, ``StreamRedactor`` text in pieces, ``current_redactor`` is that of the running program, and
``is_secret_name`` decides by a name whether its value is a secret.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .current import CURRENT, current_redactor, use_redactor
    from .known import Secret, environment_secrets, secrets_of
    from .names import is_secret_name
    from .redactor import MASK, Redactor
    from .stream import StreamRedactor, outside_secret, safe_cut

__all__ = [
    "CURRENT",
    "MASK",
    "Redactor",
    "Secret",
    "StreamRedactor",
    "current_redactor",
    "environment_secrets",
    "is_secret_name",
    "outside_secret",
    "safe_cut",
    "secrets_of",
    "use_redactor",
]
