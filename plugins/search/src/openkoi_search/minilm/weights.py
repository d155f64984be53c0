"""The weights of a BERT encoder by their role."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

from .package import CONFIG, WEIGHTS
from .tensors import read_tensors

if TYPE_CHECKING:
    from .tensors import Tensor


@dataclass(frozen=True, slots=True)
class Affine:
    """A matrix and a bias: of a linear map, or of a normalization."""

    weight: "Tensor"
    bias: "Tensor"


@dataclass(frozen=True, slots=True)
class EncoderLayer:
    """One layer: attention between tokens, then a feed-forward network."""

    query: Affine
    key: Affine
    value: Affine
    attended: Affine
    attended_norm: Affine
    inner: Affine
    outer: Affine
    outer_norm: Affine


@dataclass(frozen=True, slots=True)
class EncoderWeights:
    """All weights; ``epsilon`` keeps normalizations from dividing by zero."""

    words: "Tensor"
    positions: "Tensor"
    kind: "Tensor"
    norm: Affine
    layers: tuple[EncoderLayer, ...]
    heads: int
    epsilon: float


def read_weights(folder: Path) -> EncoderWeights:
    """Read the weights of the model in a folder."""
    config = json.loads((folder / CONFIG).read_bytes())
    if config.get("hidden_act") != "gelu" or config.get("model_type") != "bert":
        raise ValueError("it is not a BERT model with GELU")
    named = read_tensors(folder / WEIGHTS)
    return EncoderWeights(
        words=named["embeddings.word_embeddings.weight"],
        positions=named["embeddings.position_embeddings.weight"],
        kind=named["embeddings.token_type_embeddings.weight"][0],
        norm=pick_affine(named, "embeddings.LayerNorm"),
        layers=tuple(pick_layer(named, f"encoder.layer.{n}") for n in range(config["num_hidden_layers"])),
        heads=config["num_attention_heads"],
        epsilon=config["layer_norm_eps"],
    )


def pick_layer(named: "Mapping[str, Tensor]", prefix: str) -> EncoderLayer:
    """Pick the weights of one layer."""
    return EncoderLayer(
        query=pick_affine(named, f"{prefix}.attention.self.query"),
        key=pick_affine(named, f"{prefix}.attention.self.key"),
        value=pick_affine(named, f"{prefix}.attention.self.value"),
        attended=pick_affine(named, f"{prefix}.attention.output.dense"),
        attended_norm=pick_affine(named, f"{prefix}.attention.output.LayerNorm"),
        inner=pick_affine(named, f"{prefix}.intermediate.dense"),
        outer=pick_affine(named, f"{prefix}.output.dense"),
        outer_norm=pick_affine(named, f"{prefix}.output.LayerNorm"),
    )


def pick_affine(named: "Mapping[str, Tensor]", prefix: str) -> Affine:
    """Pick a pair of tensors."""
    return Affine(named[f"{prefix}.weight"], named[f"{prefix}.bias"])
