"""Email as an app: a mailbox that users write to."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .app import Email as Email
