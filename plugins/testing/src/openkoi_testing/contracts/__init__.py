"""Provide suites to inherit that test a kind of plugin: ``class TestMine(ProviderContract): subject = Mine()``.

Import them from ``openkoi_testing``; those that need a vendor's fake, and those of optional protocols, are in
``catalogue``, ``faults``, ``foreign_server`` and ``messenger``.
"""
