"""Explain why a file cannot be written and how to fix that, in the same words for every store."""

import errno
import os

FREE_SPACE = "Free some space"
FIXES = {
    **dict.fromkeys((errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG), FREE_SPACE),
    **dict.fromkeys((errno.EACCES, errno.EPERM), "Fix its permissions"),
    **dict.fromkeys((errno.EEXIST, errno.ENOTDIR, errno.EISDIR), "Move the file that is in the way"),
    errno.ENAMETOOLONG: "Use a shorter name",
    errno.EROFS: "Make its disk writable",
    errno.EIO: "Check its disk",
}
UNKNOWN = f"{FREE_SPACE} or fix its permissions"


def describe_write_error(error: OSError) -> str:
    """Return the system's reason and the fix; the last sentence has no period, so that callers can continue it."""
    number = error.errno or 0
    return f"{error.strerror or os.strerror(number)}. {FIXES.get(number, UNKNOWN)}"
