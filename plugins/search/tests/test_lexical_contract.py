"""Test the lexical embedder with the contract of all embedders."""

from openkoi_search.lexical import Lexical
from openkoi_testing import EmbedderContract


class TestContract(EmbedderContract):
    subject = Lexical()


class TestShortVectors(EmbedderContract):
    subject = Lexical(dimensions=256)
