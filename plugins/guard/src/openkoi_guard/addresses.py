"""Recognize addresses of this machine."""

import re

LOCAL = re.compile(
    r"^:\d*(?=/|$)|^(\w+://)?([^/@]*@)?(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal)(?=[:/]|$)"
)
