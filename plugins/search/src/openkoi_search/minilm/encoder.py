"""The forward pass of a BERT encoder: word piece numbers in, one vector per text out."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .weights import Affine, EncoderLayer, EncoderWeights

if TYPE_CHECKING:
    from .tensors import Tensor

MASKED_SCORE = -1e9
# The error function by formula 7.1.26 of Abramowitz and Stegun, to 1.5e-7.
ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
ERF_SCALE = 0.3275911


def encode(texts: Sequence[Sequence[int]], weights: EncoderWeights) -> "Tensor":
    """Return a row for each text: the mean of its pieces' states, of length 1."""
    import numpy

    longest = max(map(len, texts))
    pieces = numpy.array([[*text, *[0] * (longest - len(text))] for text in texts])
    there = numpy.array([[1] * len(text) + [0] * (longest - len(text)) for text in texts], numpy.float32)
    state = weights.words[pieces] + weights.positions[:longest] + weights.kind
    state = normalize_layer(state, weights.norm, weights.epsilon)
    absent = ((1 - there) * numpy.float32(MASKED_SCORE))[:, None, None, :]
    for layer in weights.layers:
        state = apply_layer(state, absent, layer, weights)
    summed = (state * there[:, :, None]).sum(axis=1) / there.sum(axis=1)[:, None]
    found: Tensor = summed / numpy.linalg.norm(summed, axis=1, keepdims=True)
    return found


def apply_layer(state: "Tensor", absent: "Tensor", layer: EncoderLayer, weights: EncoderWeights) -> "Tensor":
    """Pass the states through one layer."""
    attended = map_linear(attention(state, absent, layer, weights.heads), layer.attended)
    state = normalize_layer(attended + state, layer.attended_norm, weights.epsilon)
    inner = gelu(map_linear(state, layer.inner))
    return normalize_layer(map_linear(inner, layer.outer) + state, layer.outer_norm, weights.epsilon)


def attention(state: "Tensor", absent: "Tensor", layer: EncoderLayer, heads: int) -> "Tensor":
    """Let each piece attend to all pieces that are not padding, with several heads."""
    import numpy

    texts, length, width = state.shape

    def split(part: Affine) -> "Tensor":
        return map_linear(state, part).reshape(texts, length, heads, width // heads).transpose(0, 2, 1, 3)

    alike = split(layer.query) @ split(layer.key).transpose(0, 1, 3, 2)
    alike = alike * numpy.float32(1 / math.sqrt(width // heads)) + absent
    looks = numpy.exp(alike - alike.max(axis=-1, keepdims=True))
    looks /= looks.sum(axis=-1, keepdims=True)
    found: Tensor = (looks @ split(layer.value)).transpose(0, 2, 1, 3).reshape(texts, length, width)
    return found


def map_linear(state: "Tensor", part: Affine) -> "Tensor":
    """Apply a linear map to all pieces of all texts in one multiplication."""
    flat: Tensor = state.reshape(-1, state.shape[-1]) @ part.weight.T + part.bias
    return flat.reshape(*state.shape[:-1], -1)


def normalize_layer(state: "Tensor", part: Affine, epsilon: float) -> "Tensor":
    """Normalize each piece's state to mean 0 and variance 1, then scale and shift it."""
    import numpy

    away = state - state.mean(axis=-1, keepdims=True)
    variance = (away * away).mean(axis=-1, keepdims=True)
    spread: Tensor = numpy.sqrt(variance + numpy.float32(epsilon))
    found: Tensor = away / spread * part.weight + part.bias
    return found


def gelu(state: "Tensor") -> "Tensor":
    """Compute the exact GELU, with the error function after Abramowitz and Stegun 7.1.26 (within 1.5e-7)."""
    import numpy

    scaled = numpy.abs(state) * numpy.float32(math.sqrt(0.5))
    near = 1 / (1 + numpy.float32(ERF_SCALE) * scaled)
    series = numpy.zeros_like(near)
    for factor in reversed(ERF):
        series = (series + numpy.float32(factor)) * near
    erf = numpy.copysign(1 - series * numpy.exp(-scaled * scaled), state)
    found: Tensor = state * numpy.float32(0.5) * (1 + erf)
    return found
