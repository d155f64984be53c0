"""Recognize addresses of this machine."""

from openkoi_hookspecs.lazy_pattern import lazy_pattern

LOCAL = lazy_pattern(
    r"^:\d*(?=/|$)|^(\w+://)?([^/@]*@)?(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal)(?=[:/]|$)"
)
