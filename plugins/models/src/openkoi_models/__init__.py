"""What is known of models without asking anybody: names, prices, limits, estimates. A library, without entry points."""

from .catalogue import CONTEXT, FILE, OUTPUT, Catalogue
from .estimate import BYTES, Estimator, answer_tokens
from .told import FACTS, UNKNOWN_PRICE, completed, honest, priced, told

__all__ = [
    "BYTES",
    "CONTEXT",
    "FACTS",
    "FILE",
    "OUTPUT",
    "UNKNOWN_PRICE",
    "Catalogue",
    "Estimator",
    "answer_tokens",
    "completed",
    "honest",
    "priced",
    "told",
]
