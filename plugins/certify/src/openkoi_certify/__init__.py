"""Certify OpenKoi's judges with planted defects, and calibrate them with the outcome of past work."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .certifier import Certifier as Certifier
    from .golden_set import GoldenSet as GoldenSet
    from .golden_set import find_golden_set as find_golden_set
    from .sample import Sample as Sample
    from .sample import SampleKind as SampleKind
    from .sample import make_samples as make_samples
