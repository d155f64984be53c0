"""Both compactors keep what every compactor promises."""

from typing import ClassVar

import pytest

from openkoi_compaction import FactExtracting, PeriodicSummary, RollingWindow
from openkoi_hookspecs import Compactor
from openkoi_testing import CompactorContract


@pytest.mark.row("LOOP-06")
class TestRollingWindow(CompactorContract):
    subject: ClassVar[Compactor] = RollingWindow()


@pytest.mark.row("LOOP-07")
class TestPeriodicSummary(CompactorContract):
    subject: ClassVar[Compactor] = PeriodicSummary()
    says = ("Goal: a pond.\nOpen: the frogs.",)


class TestPeriodicSummaryOfASilentModel(CompactorContract):
    subject: ClassVar[Compactor] = PeriodicSummary()
    says = ("",)


@pytest.mark.row("MEM-08")
class TestFactExtracting(CompactorContract):
    subject: ClassVar[Compactor] = FactExtracting()
    says = ("Facts:\n- The pond is lined with clay.\n\nOpen: the frogs.",)
