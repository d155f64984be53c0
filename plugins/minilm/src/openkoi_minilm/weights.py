"""The weights of a BERT encoder by their role."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .package import CONFIG, WEIGHTS
from .tensors import tensors

if TYPE_CHECKING:
    from .tensors import Tensor


@dataclass(frozen=True, slots=True)
class Affine:
    """A matrix and what is added: of a linear map, or of a normalisation."""

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


def weights(folder: Path) -> EncoderWeights:
    """Read the weights of the model in a folder."""
    config = json.loads((folder / CONFIG).read_bytes())
    if config.get("hidden_act") != "gelu" or config.get("model_type") != "bert":
        raise ValueError("it is not a BERT model with GELU")
    named = tensors(folder / WEIGHTS)
    return EncoderWeights(
        words=named["embeddings.word_embeddings.weight"],
        positions=named["embeddings.position_embeddings.weight"],
        kind=named["embeddings.token_type_embeddings.weight"][0],
        norm=affine(named, "embeddings.LayerNorm"),
        layers=tuple(layer(named, f"encoder.layer.{n}") for n in range(config["num_hidden_layers"])),
        heads=config["num_attention_heads"],
        epsilon=config["layer_norm_eps"],
    )


def layer(named: "Mapping[str, Tensor]", prefix: str) -> EncoderLayer:
    """Pick the weights of one layer."""
    return EncoderLayer(
        query=affine(named, f"{prefix}.attention.self.query"),
        key=affine(named, f"{prefix}.attention.self.key"),
        value=affine(named, f"{prefix}.attention.self.value"),
        attended=affine(named, f"{prefix}.attention.output.dense"),
        attended_norm=affine(named, f"{prefix}.attention.output.LayerNorm"),
        inner=affine(named, f"{prefix}.intermediate.dense"),
        outer=affine(named, f"{prefix}.output.dense"),
        outer_norm=affine(named, f"{prefix}.output.LayerNorm"),
    )


def affine(named: "Mapping[str, Tensor]", prefix: str) -> Affine:
    """Pick a pair of tensors."""
    return Affine(named[f"{prefix}.weight"], named[f"{prefix}.bias"])
