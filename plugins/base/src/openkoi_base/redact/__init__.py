"""Mask secrets in everything that is written: a library, without entry points.

``Redactor`` masks text, ``StreamRedactor`` text in pieces, ``current_redactor`` is that of the running program, and
``is_secret_name`` decides by a name whether its value is a secret.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .current import CURRENT as CURRENT
    from .current import current_redactor as current_redactor
    from .current import use_redactor as use_redactor
    from .known import Secret as Secret
    from .known import environment_secrets as environment_secrets
    from .known import secrets_of as secrets_of
    from .names import is_secret_name as is_secret_name
    from .redactor import MASK as MASK
    from .redactor import Redactor as Redactor
    from .stream import StreamRedactor as StreamRedactor
    from .stream import outside_secret as outside_secret
    from .stream import safe_cut as safe_cut
