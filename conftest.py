"""Property tests take the time that a busy machine needs; how long that is, is measured elsewhere."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
