"""Mask secrets in everything that is written: a library, without entry points.

``Redactor`` masks text, ``StreamRedactor`` text that comes in pieces, ``current_redactor`` is the one of the program
that is running, ``is_secret_name`` is the one rule that tells from a name whether its value is a secret.
"""

from .current import CURRENT, current_redactor, use_redactor
from .known import Secret, environment_secrets, secrets_of
from .names import is_secret_name
from .redactor import MASK, Redactor
from .stream import StreamRedactor, outside_secret, settled

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
    "secrets_of",
    "settled",
    "use_redactor",
]
