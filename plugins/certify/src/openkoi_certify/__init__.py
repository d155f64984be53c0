"""Certify OpenKoi's judges with planted defects, and calibrate them with the outcome of past work."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .certifier import Certifier
    from .golden_set import GoldenSet, find_golden_set
    from .sample import Sample, SampleKind, make_samples

__all__ = ["Certifier", "GoldenSet", "Sample", "SampleKind", "find_golden_set", "make_samples"]
