"""Make random ids, which contain no secret."""


class RandomId(str):
    """An id that holds nothing of a user's: it is logged as it is, without being searched for secrets."""

    __slots__ = ()
