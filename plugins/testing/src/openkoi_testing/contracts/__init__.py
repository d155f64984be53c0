"""Inheritable suites: what every plugin of a kind promises. ``class TestMine(ProviderContract): subject = Mine()``."""
