"""Answer OpenAI's embeddings with vectors that depend only on the text."""

import math
from base64 import b64encode
from collections.abc import Sequence
from random import Random
from struct import pack

from openkoi_hookspecs import Json

from .json_body import Body

DIMENSIONS = {"text-embedding-3-large": 3072}
DEFAULT_DIMENSIONS = 1536
MAX_TEXTS = 2048
MAX_TOKENS = 300_000


def find_embedding_error(asked: Body) -> str:
    """Return the error in a request; empty when it is valid."""
    model, texts = asked.get("model"), requested_texts(asked)
    if not isinstance(model, str) or not model:
        return "you must provide a model parameter"
    if not texts or len(texts) > MAX_TEXTS or not all(isinstance(text, str) and text for text in texts):
        return "'$.input' is invalid. Please check the API reference."
    if sum(map(count_tokens, texts)) > MAX_TOKENS:
        return f"Requested more tokens than fit into one request, which are at most {MAX_TOKENS}."
    length = asked.get("dimensions")
    if length is not None and not model.startswith("text-embedding-3"):
        return "This model does not support specifying dimensions."
    if length is not None and not (isinstance(length, int) and 0 < length <= DIMENSIONS.get(model, DEFAULT_DIMENSIONS)):
        return f"Invalid value for 'dimensions' = {length}."
    return ""


def embed_response(asked: Body) -> Body:
    """Embed every text."""
    model, texts = str(asked["model"]), requested_texts(asked)
    length = asked.get("dimensions") or DIMENSIONS.get(model, DEFAULT_DIMENSIONS)
    counted = sum(map(count_tokens, texts))
    data = [vector_entry(place, embed_text(str(text), int(str(length))), asked) for place, text in enumerate(texts)]
    return {
        "object": "list",
        "data": data,
        "model": model,
        "usage": {"prompt_tokens": counted, "total_tokens": counted},
    }


def vector_entry(place: int, numbers: Sequence[float], asked: Body) -> Body:
    """Return one vector in the list, as numbers or as bytes."""
    packed = b64encode(pack(f"<{len(numbers)}f", *numbers)).decode()
    return {
        "object": "embedding",
        "index": place,
        "embedding": packed if asked.get("encoding_format") == "base64" else numbers,
    }


def embed_text(text: str, length: int) -> Sequence[float]:
    """Return the vector of a text: always the same, of length one; a shorter one is the start of the longer."""
    source = Random(text)
    numbers = [source.gauss(0, 1) for _ in range(length)]
    size = math.sqrt(math.fsum(number * number for number in numbers))
    return [number / size for number in numbers]


def count_tokens(text: Json) -> int:
    """Return the approximate number of tokens."""
    return max(1, len(str(text)) // 4)


def requested_texts(asked: Body) -> Sequence[Json]:
    """Return the texts to embed."""
    given = asked.get("input")
    return given if isinstance(given, list) else [str(given or "")]
