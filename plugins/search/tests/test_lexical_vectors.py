"""Test what hashing finds and does not find, and that its results are the same everywhere."""

import asyncio
import hashlib
import math
import os
import random
import struct
import subprocess
import sys
from collections.abc import Sequence

import pytest

from openkoi_hookspecs import ConfigError
from openkoi_search.lexical import Lexical
from openkoi_search.lexical.hashing import sparse_vector
from openkoi_search.lexical.words import words
from openkoi_search.segment import VECTOR_SCALE, decode_vector, encode_vector
from openkoi_search.segment_documents import asked_places, multiply

PROBES = [
    ("deploy the website", "deployed a web-site yesterday", "put the new pages online"),
    ("retry failed uploads", "retrying a failing upload", "send the file again when it did not arrive"),
    ("delete old backups", "deletion of an older backup", "throw away copies that nobody needs"),
    ("translate the manual", "the translation of manuals", "write the handbook in French"),
    ("summarise the meeting", "a sumary of meetings", "what did we agree upon this morning"),
    ("benchmark the parser", "benchmarking parsers", "how fast does it read the input"),
    ("configure the firewall", "firewal configuration", "block incoming connections"),
    ("encrypt the database", "encrypted databases", "nobody but us may read the records"),
    ("schedule a reminder", "reminders, scheduled", "tell me about it tomorrow"),
    ("refactor parseHeader", "refactoring of parse_headers", "tidy up how the first lines are read"),
    ("invoice the customer", "invoices for customers", "ask the client for money"),
    ("photograph restoration", "restore old photographs", "make faded pictures look new"),
]


def embed(*texts: str, dimensions: int = 1024) -> Sequence[Sequence[float]]:
    return asyncio.run(Lexical(dimensions=dimensions).embed(texts)).vectors


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def found(queries: Sequence[str], among: Sequence[str]) -> int:
    """Return how many queries find their own text first."""
    vectors = embed(*among)
    asked = embed(*queries)
    ranked = [max(range(len(vectors)), key=lambda n: cosine(query, vectors[n])) for query in asked]
    return sum(best == n for n, best in enumerate(ranked))


def test_the_inflected_and_the_misspelt_word_is_found() -> None:
    texts, inflected, _ = zip(*PROBES, strict=True)

    assert 11 <= found(inflected, texts)


def test_a_paraphrase_is_not() -> None:
    texts, _, paraphrases = zip(*PROBES, strict=True)

    assert found(paraphrases, texts) <= 6


def test_equal_texts_have_equal_vectors_of_length_one() -> None:
    one, other = embed("Read a.txt", "Read a.txt")

    assert one == other
    assert math.isclose(1.0, cosine(one, other))


@pytest.mark.parametrize("text", ["", " ", "!!!", "…", "\ud800", "日本語の文章", "a", "x" * 100_000, "\0", "_", "ß"])
@pytest.mark.parametrize("dimensions", [64, 1024])
def test_whatever_the_text_its_vector_is_normalised(text: str, dimensions: int) -> None:
    (one,) = embed(text, dimensions=dimensions)

    assert dimensions == len(one)
    assert math.isclose(1.0, math.hypot(*one))


def test_unlike_texts_are_nearly_at_right_angles() -> None:
    one, other = embed("water the plants", "jog along a river")

    assert abs(cosine(one, other)) < 0.1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Read it", ["read", "it"]),
        ("parseHTTPHeader", ["parsehttpheader", "parse", "http", "header"]),
        ("parse_http_header2", ["parsehttpheader2", "parse", "http", "header", "2"]),
        ("__init__", ["init"]),
        ("Straße ÉCOLE", ["strasse", "école"]),
        ("\ufb01le", ["file"]),
    ],
)
def test_words_and_the_parts_of_identifiers(text: str, expected: list[str]) -> None:
    assert expected == list(words(text))


def test_other_processes_make_the_same_of_it() -> None:
    source = "asyncio.run(Lexical().embed(['Naïve readFile twice']))"
    program = f"import asyncio; from openkoi_search.lexical import Lexical; print({source}.vectors)"
    output = {
        subprocess.check_output([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    }

    assert {f"{list(embed('Naïve readFile twice'))}\n".encode()} == output


def test_other_machines_make_the_same_of_it() -> None:
    (one,) = embed("Naïve readFile twice twice")

    assert "e01431970df2d563" == hashlib.sha256(struct.pack("<1024d", *one)).hexdigest()[:16]


def test_another_length_is_another_embedder() -> None:
    assert ("lexical-1-1024", "lexical-1-256") == (Lexical().id, Lexical(dimensions=256).id)


@pytest.mark.parametrize("dimensions", [-1, 0, 63, 65_537])
def test_a_length_that_makes_no_sense_is_a_bad_setting(dimensions: int) -> None:
    with pytest.raises(ConfigError, match=f"dimensions is {dimensions}"):
        Lexical(dimensions=dimensions)


def test_importing_it_imports_no_numpy() -> None:
    program = "import sys, openkoi_search.lexical; print('numpy' in sys.modules)"

    assert subprocess.check_output([sys.executable, "-c", program], text=True).split() == ["False"]


@pytest.mark.parametrize("dimensions", [64, 1024, 65_536])
@pytest.mark.parametrize("words", [1, 12, 200])
def test_a_stored_vector_is_multiplied_as_it_was(dimensions: int, words: int) -> None:
    chance = random.Random(words)
    one, other = (
        sparse_vector({f"w{chance.randrange(10**6)}": chance.randint(1, 5) for _ in range(words)}, dimensions)
        for _ in range(2)
    )
    asked, bits = asked_places(other), sum(1 << place for place in other)

    product = multiply(decode_vector(encode_vector(one)), asked, bits) / VECTOR_SCALE

    assert pytest.approx(sum(one[place] * other.get(place, 0.0) for place in one), abs=1e-4) == product


def test_a_stored_vector_of_a_long_text_takes_little_more_than_its_values() -> None:
    vector = sparse_vector({f"word{number}": 1 for number in range(120)}, 1024)

    assert 2 * len(vector) + 1024 // 8 + 2 >= len(encode_vector(vector))
    assert b"" == encode_vector({})
