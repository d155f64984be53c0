"""The lexical embedder does what every embedder promises."""

from openkoi_search.lexical import Lexical
from openkoi_testing import EmbedderContract


class TestContract(EmbedderContract):
    subject = Lexical()


class TestShortVectors(EmbedderContract):
    subject = Lexical(dimensions=256)
