"""How well OpenKoi's judges judge: certificates from planted defects, and calibration from real history."""

from .certifier import Certifier
from .golden import GoldenSet, golden_for
from .sample import Sample, SampleKind, samples_of

__all__ = ["Certifier", "GoldenSet", "Sample", "SampleKind", "golden_for", "samples_of"]
