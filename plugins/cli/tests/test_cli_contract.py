"""The command line does what every frontend promises."""

from openkoi_cli import CommandLine
from openkoi_testing import FrontendContract


class TestContract(FrontendContract):
    subject = CommandLine()
    task_words = ("-i", "0", "Make the pond deeper")
    help_words = ("--help",)
