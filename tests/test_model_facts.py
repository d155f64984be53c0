"""A plugin that knows the contract alone asks which models there are for its roles, and what they cost."""

import json
from pathlib import Path

from cli_process import shell

ACME = """
import json
import click
from openkoi_hookspecs import ConfigError, Koi


@click.command()
@click.pass_obj
async def models(koi: Koi) -> None:
    model = await koi.describe_model("evaluator")
    try:
        unknown = await koi.resolve_model("no-such-model")
    except ConfigError as error:
        unknown = str(error)
    click.echo(json.dumps({
        "roles": [await koi.resolve_model(name) for name in ("executor", "evaluator", "planner", "haiku")],
        "evaluator": [model.name, model.price.input, model.context > 100_000],
        "unknown": unknown,
    }))
"""
SETTINGS = '[models]\ndefault = "openai/gpt-5.2"\nevaluator = "anthropic/claude-opus-4-6"\n'
PRICE = '[models.known."anthropic/claude-opus-4-6"]\nprice = [7.0, 30.0]\ncontext = 200000\n'


def test_models_are_resolved_by_role_and_by_short_name(tmp_path: Path) -> None:
    openkoi = shell(tmp_path).with_environment(OPENAI_API_KEY="sk-nothing", ANTHROPIC_API_KEY="sk-nothing")
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(SETTINGS + PRICE)

    result = openkoi.with_plugin(ACME, commands="acme:models")("acme")
    output = json.loads(result.stdout)

    assert ["openai/gpt-5.2", "anthropic/claude-opus-4-6", "openai/gpt-5.2"] == output["roles"][:3], result.stderr
    assert output["roles"][3].startswith("anthropic/claude-haiku")
    assert ["anthropic/claude-opus-4-6", 7.0, True] == output["evaluator"]
    assert "No configured provider has a model 'no-such-model'." in output["unknown"]
