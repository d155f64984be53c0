"""Test ``openkoi evaluator``: a certification is a task of its own, and writes a certificate."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from openkoi.app import App
from openkoi_base.skillfile.evaluator import Rubric
from openkoi_certify import Certifier, SampleKind, find_golden_set, make_samples
from openkoi_certify.certificate import load_certificates
from openkoi_certify.certifier import CertifyOptions
from openkoi_certify.command import evaluator, run_certification
from openkoi_certify.sample import Sample, make_reserve_samples
from openkoi_hookspecs import (
    Chunk,
    KoiError,
    Model,
    NoProviderError,
    Provider,
    Request,
    RequestRejectedError,
    StreamEnd,
    Text,
    Usage,
)
from openkoi_judge import Judge
from openkoi_testing import Scenario

NAMES = ("relevance", "quality", "completeness")
GOLDEN = find_golden_set(Rubric("general"))
SAMPLES, FURTHER = make_samples(GOLDEN, NAMES), make_reserve_samples(GOLDEN, NAMES)


class Knowing:
    """A judge that knows the quality of each sample; ``blind`` to defects or not."""

    def __init__(self, *, blind: bool = False) -> None:
        self.blind = blind

    async def models(self) -> list[Model]:
        return [Model("script", context=200_000, output=8_000)]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        words = "".join(part.text for part in request.messages[-1].parts if isinstance(part, Text))
        samples = [sample for sample in (*SAMPLES, *FURTHER) if sample.work.diff in words]
        value = self.worth(max(samples, key=lambda one: len(one.work.diff))) if samples else 0.0
        yield Text(json.dumps({"scores": {**dict.fromkeys(NAMES, value), "other_task": 0.0}, "findings": []}))
        yield StreamEnd(Usage())

    def worth(self, sample: Sample) -> float:
        return 0.95 if self.blind or "/sound" in sample.id else 0.35 if sample.severe else 0.7


async def lived(awaited: Awaitable[object], koi: App) -> None:
    async with koi:
        await awaited


def call(folder: Path, model: Provider, *arguments: str, price: float = 0.0) -> tuple[int, str]:
    """Call the command as the command line does; return its status and output."""
    data = folder / "home" / "data"
    stage = Scenario(
        model=model,
        settings={"models.known.scripted/script.price": [price, price]},
        evaluators={"judge": Judge(folder=data)},
        others={"workers": {"certify": Certifier(folder=data / "certificates", sessions=data / "sessions")}},
    )
    (folder / "work").mkdir(exist_ok=True)

    @click.command()
    def outer() -> None:
        koi = stage.build_app(folder / "work", folder / "home")
        awaited = evaluator.main(list(arguments), obj=koi, standalone_mode=False)
        if asyncio.iscoroutine(awaited):
            asyncio.run(lived(awaited, koi))

    result = CliRunner().invoke(outer)
    return result.exit_code, f"{result.output}{result.exception or ''}"


@pytest.mark.row("EVAL-24", "C55")
def test_a_judge_that_finds_the_defects_passes_and_its_certificate_is_kept(tmp_path: Path) -> None:
    status, reply = call(tmp_path, Knowing(), "certify", "general", "--votes", "1")

    (certificate,) = load_certificates(tmp_path / "home" / "data" / "certificates", "general")
    assert 0 == status, reply
    assert "scripted/script: passed" in reply
    assert (1.0, 0.0, "scripted/script") == (
        certificate.measures.detection,
        certificate.measures.false_alarms,
        certificate.model,
    )
    assert len(SAMPLES) <= len(certificate.measures.scores)
    assert "passed" in call(tmp_path, Knowing(), "list")[1]
    assert "planted defects found" in call(tmp_path, Knowing(), "show", "general")[1]


@pytest.mark.campaign
def test_a_judge_that_is_blind_to_them_does_not_pass(tmp_path: Path) -> None:
    status, reply = call(tmp_path, Knowing(blind=True), "certify", "general", "--votes", "1")

    assert 3 == status, reply
    assert "with a planted defect" in reply


class Away:
    """A model that does not exist."""

    def __init__(self, error: KoiError) -> None:
        self.error = error
        self.asked = 0

    async def models(self) -> list[Model]:
        return [Model("script", context=200_000, output=8_000)]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        self.asked += 1
        raise self.error
        yield StreamEnd(Usage())


@pytest.mark.parametrize(
    "error", [NoProviderError("No model is configured."), RequestRejectedError("The key is wrong.")]
)
def test_without_a_model_that_answers_its_own_sentence_is_said_and_none_is_asked_about_the_rest(
    tmp_path: Path, error: KoiError
) -> None:
    model = Away(error)

    status, reply = call(tmp_path, model, "certify", "general")

    assert (1, True) == (status, str(error) in reply)
    assert model.asked <= 4


def test_the_error_itself_comes_out_so_that_the_exit_status_is_that_of_every_command(tmp_path: Path) -> None:
    stage = Scenario(
        settings={"models.default": ""},
        evaluators={"judge": Judge(folder=tmp_path / "data")},
        others={"workers": {"certify": Certifier(folder=tmp_path / "certificates", sessions=tmp_path / "sessions")}},
    )

    async def certifying() -> None:
        async with stage.build_app(tmp_path, tmp_path / "home") as koi:
            await run_certification(koi, CertifyOptions(rubric="general"), 1.0)

    with pytest.raises(NoProviderError, match="No model is configured"):
        asyncio.run(certifying())


def test_a_budget_that_is_used_up_says_what_to_raise(tmp_path: Path) -> None:
    assert (
        "Raise --budget" in call(tmp_path, Knowing(), "certify", "general", "--budget", "0.01", "--yes", price=30.0)[1]
    )


def test_an_evaluator_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "Did you mean 'general'?" in call(tmp_path, Knowing(), "certify", "genral")[1]


def test_before_the_first_task_there_is_nothing_to_report(tmp_path: Path) -> None:
    status, reply = call(tmp_path, Knowing(), "calibrate")

    assert 0 == status, reply
    assert "Run some tasks first" in reply


def test_injected_work_has_a_twin_without_the_words() -> None:
    injected = [sample for sample in SAMPLES if sample.kind is SampleKind.INJECTED]

    assert injected
    assert all(sample.twin for sample in injected)
