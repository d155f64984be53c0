"""What OpenAI's embeddings answer: vectors that are made of nothing but the text. Knows the format; serves nothing."""

import math
from base64 import b64encode
from collections.abc import Sequence
from random import Random
from struct import pack

from openkoi_hookspecs import Json

from .openai_wire import Body

LENGTHS = {"text-embedding-3-large": 3072}
LENGTH = 1536
MOST_TEXTS = 2048
MOST_TOKENS = 300_000


def not_embeddable(asked: Body) -> str:
    """Say what is wrong with a request; nothing when it will do."""
    model, texts = asked.get("model"), texts_of(asked)
    if not isinstance(model, str) or not model:
        return "you must provide a model parameter"
    if not texts or len(texts) > MOST_TEXTS or not all(isinstance(text, str) and text for text in texts):
        return "'$.input' is invalid. Please check the API reference."
    if sum(map(tokens, texts)) > MOST_TOKENS:
        return f"Requested more tokens than fit into one request, which are at most {MOST_TOKENS}."
    length = asked.get("dimensions")
    if length is not None and not model.startswith("text-embedding-3"):
        return "This model does not support specifying dimensions."
    if length is not None and not (isinstance(length, int) and 0 < length <= LENGTHS.get(model, LENGTH)):
        return f"Invalid value for 'dimensions' = {length}."
    return ""


def embedded(asked: Body) -> Body:
    """Embed every text."""
    model, texts = str(asked["model"]), texts_of(asked)
    length = asked.get("dimensions") or LENGTHS.get(model, LENGTH)
    counted = sum(map(tokens, texts))
    data = [entry(place, vector(str(text), int(str(length))), asked) for place, text in enumerate(texts)]
    return {
        "object": "list",
        "data": data,
        "model": model,
        "usage": {"prompt_tokens": counted, "total_tokens": counted},
    }


def entry(place: int, numbers: Sequence[float], asked: Body) -> Body:
    """One vector in the list, as numbers or as bytes."""
    packed = b64encode(pack(f"<{len(numbers)}f", *numbers)).decode()
    return {
        "object": "embedding",
        "index": place,
        "embedding": packed if asked.get("encoding_format") == "base64" else numbers,
    }


def vector(text: str, length: int) -> Sequence[float]:
    """Make the vector of a text: the same one always, of length one; a shorter one is the start of the longer."""
    source = Random(text)
    numbers = [source.gauss(0, 1) for _ in range(length)]
    size = math.sqrt(math.fsum(number * number for number in numbers))
    return [number / size for number in numbers]


def tokens(text: Json) -> int:
    """Count tokens, roughly as the vendor does."""
    return max(1, len(str(text)) // 4)


def texts_of(asked: Body) -> Sequence[Json]:
    """The texts that are asked about."""
    given = asked.get("input")
    return given if isinstance(given, list) else [str(given or "")]
