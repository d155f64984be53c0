"""Create a tiny model of the same kind with random weights, and compute its output in a second, slow way."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

Array: TypeAlias = NDArray[numpy.float64]

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "world", "water", "##ing", "the", "plants"]
WIDTH, INNER, HEADS, LAYERS = 8, 16, 2, 2
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "layer_norm_eps": 1e-12,
}
LINEAR = {
    "attention.self.query": (WIDTH, WIDTH),
    "attention.self.key": (WIDTH, WIDTH),
    "attention.self.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH),
    "intermediate.dense": (INNER, WIDTH),
    "output.dense": (WIDTH, INNER),
}


def shapes() -> dict[str, tuple[int, ...]]:
    """The tensors of the model."""
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (300, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for n in range(LAYERS):
        prefix = f"encoder.layer.{n}"
        for name, shape in LINEAR.items():
            found[f"{prefix}.{name}.weight"] = shape
            found[f"{prefix}.{name}.bias"] = shape[:1]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found[f"{prefix}.{name}.weight"] = found[f"{prefix}.{name}.bias"] = (WIDTH,)
    return found


def write_model(folder: Path) -> Path:
    """Write the three files."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    chance = numpy.random.default_rng(7)
    tensors = {name: chance.normal(size=shape).astype("<f4") for name, shape in shapes().items()}
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [offset, offset + tensor.nbytes]}
        offset += tensor.nbytes
    output = json.dumps(header).encode()
    output += b" " * (-len(output) % 8)
    data = b"".join(tensor.tobytes() for tensor in tensors.values())
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors").write_bytes(len(output).to_bytes(8, "little") + output + data)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    words = Tokenizer(models.WordPiece({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer()
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    words.enable_padding(length=16)
    words.save(str(folder / "tokenizer.json"))
    return folder


def stored(file: Path) -> dict[str, Array]:
    """Read the tensors simply, in double precision."""
    data = file.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    return {
        name: numpy.frombuffer(data[start:], "<f4", math.prod(output["shape"]), output["data_offsets"][0])
        .reshape(output["shape"])
        .astype(numpy.float64)
        for name, output in header.items()
        if output.get("dtype") == "F32"
    }


def plainly(pieces: Sequence[int], named: Mapping[str, Array], config: Mapping[str, object]) -> Array:
    """Return the model's output for one text: piece by piece, head by head, with the library's error function."""
    layers, heads = int(str(config["num_hidden_layers"])), int(str(config["num_attention_heads"]))
    state = numpy.stack(
        [
            named["embeddings.word_embeddings.weight"][piece]
            + named["embeddings.position_embeddings.weight"][n]
            + named["embeddings.token_type_embeddings.weight"][0]
            for n, piece in enumerate(pieces)
        ]
    )
    state = norm(state, named, "embeddings.LayerNorm")
    for n in range(layers):
        prefix = f"encoder.layer.{n}"
        context = attended(state, named, f"{prefix}.attention.self", heads)
        state = norm(
            linear(context, named, f"{prefix}.attention.output.dense") + state,
            named,
            f"{prefix}.attention.output.LayerNorm",
        )
        inner = linear(state, named, f"{prefix}.intermediate.dense")
        active = numpy.vectorize(lambda x: x * 0.5 * (1 + math.erf(x / math.sqrt(2))))(inner)
        state = norm(linear(active, named, f"{prefix}.output.dense") + state, named, f"{prefix}.output.LayerNorm")
    mean: Array = state.mean(axis=0)
    mean /= math.hypot(*mean)
    return mean


def attended(state: Array, named: Mapping[str, Array], prefix: str, heads: int) -> Array:
    """Compute attention, one head at a time."""
    query, key, value = (linear(state, named, f"{prefix}.{name}") for name in ("query", "key", "value"))
    size = state.shape[1] // heads
    found = []
    for n in range(heads):
        part = slice(n * size, (n + 1) * size)
        alike = numpy.exp(query[:, part] @ key[:, part].T / math.sqrt(size))
        found.append(alike / alike.sum(axis=1, keepdims=True) @ value[:, part])
    return numpy.concatenate(found, axis=1)


def linear(state: Array, named: Mapping[str, Array], name: str) -> Array:
    """A linear map."""
    found: Array = state @ named[f"{name}.weight"].T + named[f"{name}.bias"]
    return found


def norm(state: Array, named: Mapping[str, Array], name: str) -> Array:
    """A normalisation."""
    mean, spread = state.mean(axis=1, keepdims=True), state.std(axis=1, keepdims=True)
    found: Array = (state - mean) / spread * named[f"{name}.weight"] + named[f"{name}.bias"]
    return found
