"""Make random ids, which contain no secret."""


class RandomId(str):
    """An id without user data: it is logged unchanged, without a search for secrets."""

    __slots__ = ()
