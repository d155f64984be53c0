"""Compile a regular expression on first use: startup defines hundreds, and compiling one can take milliseconds."""

import re
from typing import AnyStr, cast

PARTS = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "groups", "groupindex", "flags")


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a stand-in for the compiled pattern; functions of ``re`` do not accept it."""
    return cast("re.Pattern[AnyStr]", LazyPattern(pattern, flags))


class LazyPattern:
    """A placeholder for a pattern; once it is compiled, its methods are called directly."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self.declared_flags = pattern, flags

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(self.pattern, self.declared_flags)
        vars(self).update({part: getattr(compiled, part) for part in PARTS})
        return getattr(compiled, name)
