"""A constructor is a configuration: where each parameter's value comes from, and what is said when it is wrong."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import click
import pytest

from openkoi_base.redact import MASK, Redactor
from openkoi_hookspecs import (
    ConfigError,
    DataDir,
    Env,
    Inject,
    NoProviderError,
    Paths,
    PluginNotFoundError,
    SharedSetting,
)
from openkoi_loader.plugin_factory import BuildContext, construct
from openkoi_settings import Config, Setting


class Seam:
    """Something that TOML cannot write."""


class Acme:
    """A provider with every kind of parameter."""

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("ACME_API_KEY", secret=True)],
        base_url: Annotated[str, Env("ACME_URL")] = "https://acme.example",
        timeout: float = 60.0,
        tries: int = 3,
        streams: bool = True,
        beta: str | None = None,
        headers: Mapping[str, str] | None = None,
        models: tuple[str, ...] = (),
        cache: Annotated[Path, DataDir("acme.cache")] = Path("nowhere"),
        clock: Callable[[], float] = lambda: 0.0,
        seam: Seam | None = None,
    ) -> None:
        self.given = {name: value for name, value in locals().items() if name != "self"}


@dataclass(frozen=True)
class Fact:
    """A plugin that is a dataclass, with hints that are texts."""

    level: "Annotated[int, Env('FACT_LEVEL')]" = 1
    name: "str" = "fact"


@dataclass
class Store:
    """A memory that needs an embedder."""

    embedder: Annotated[object, Inject("embedders", "lexical")]


@dataclass
class Fading:
    """A plugin that goes by a common setting."""

    rate: Annotated[float, SharedSetting("memory.rate")] = 0.05


@dataclass
class Bare:
    """A plugin that needs another one and names none."""

    embedder: Annotated[object, Inject("embedders")]


@dataclass
class Workshop:
    """Everything that a plugin is built with."""

    home: Path
    settings: Mapping[str, object]
    environment: Mapping[str, str]

    @property
    def site(self) -> BuildContext:
        """Where it is built."""
        given = {key: Setting(value, "there.toml") for key, value in self.settings.items()}
        paths = Paths(self.home / "config.toml", self.home / "data")
        config = Config(given, paths, self.home, environment=self.environment)
        return BuildContext(config, self.redactor, self.load, {})

    def __post_init__(self) -> None:
        self.redactor = Redactor()

    async def load(self, kind: str, name: str) -> object:
        """Another plugin: only its name."""
        if name == "unheard-of":
            raise PluginNotFoundError(kind, name)
        return f"{kind}/{name}"

    def build(self, target: object, kind: str = "providers", name: str = "acme") -> Any:
        """The plugin."""
        return asyncio.run(construct(target, kind, name, self.site))


def workshop(home: Path, environment: Mapping[str, str] | None = None, **settings: object) -> Workshop:
    """A place where ``acme`` is built with these settings, and with a key unless there is one."""
    keyed = {"ACME_API_KEY": "k-from-env"} if environment is None else environment
    return Workshop(home, {f"providers.acme.{key}": value for key, value in settings.items()}, keyed)


def acme(place: Workshop, parameter: str) -> object:
    built = place.build(Acme)
    assert isinstance(built, Acme)
    return built.given[parameter]


# Where values come from.


def test_the_environment_outranks_the_file(tmp_path: Path) -> None:
    environment = {"ACME_API_KEY": "k-from-env", "ACME_URL": "https://env"}

    assert "k-from-env" == acme(workshop(tmp_path, environment, api_key="k-from-file"), "api_key")
    assert "https://env" == acme(workshop(tmp_path, environment, base_url="https://file"), "base_url")


def test_the_file_outranks_saved_credentials_and_defaults(tmp_path: Path) -> None:
    saved(tmp_path, "k-saved")

    assert "k-from-file" == acme(workshop(tmp_path, {}, api_key="k-from-file"), "api_key")
    assert "https://file" == acme(workshop(tmp_path, None, base_url="https://file"), "base_url")


@pytest.mark.row("MEM-14")
def test_a_common_table_holds_where_the_plugins_own_says_nothing(tmp_path: Path) -> None:
    common = {"memory.rate": 0.5}

    assert 0.05 == Workshop(tmp_path, {}, {}).build(Fading, "hooks", "mine").rate
    assert 0.5 == Workshop(tmp_path, common, {}).build(Fading, "hooks", "mine").rate
    assert 0.2 == Workshop(tmp_path, {**common, "hooks.mine.rate": 0.2}, {}).build(Fading, "hooks", "mine").rate


def test_a_wrong_value_of_a_common_table_is_named_by_its_key_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^memory\.rate in there\.toml is 'x': "):
        Workshop(tmp_path, {"memory.rate": "x"}, {}).build(Fading, "hooks", "mine")


@dataclass
class Searching:
    """A memory whose embedder a common setting may name."""

    embedder: Annotated[object, Inject("embedders"), SharedSetting("models.embedder")] = None


@pytest.mark.row("PROV-07")
def test_a_common_setting_names_another_plugin_where_the_own_table_does_not(tmp_path: Path) -> None:
    common = {"models.embedder": "openai/small"}
    own = {"memory.mine.embedder": "lexical"}

    assert Workshop(tmp_path, {}, {}).build(Searching, "memory", "mine").embedder is None
    assert "embedders/openai/small" == Workshop(tmp_path, common, {}).build(Searching, "memory", "mine").embedder
    assert "embedders/lexical" == Workshop(tmp_path, common | own, {}).build(Searching, "memory", "mine").embedder
    assert (
        Workshop(tmp_path, common | {"memory.mine.embedder": ""}, {}).build(Searching, "memory", "mine").embedder
        is None
    )


def test_a_secret_is_looked_up_among_saved_credentials(tmp_path: Path) -> None:
    saved(tmp_path, "k-saved")

    assert "k-saved" == acme(workshop(tmp_path, {}), "api_key")


def saved(home: Path, key: str) -> None:
    (home / "credentials").mkdir()
    (home / "credentials" / "providers.json").write_text(json.dumps({"acme": key, "https": "no"}))


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    assert "https://acme.example" == acme(workshop(tmp_path, {"ACME_API_KEY": "k", "ACME_URL": ""}), "base_url")


@pytest.mark.parametrize("environment", [{"ACME_API_KEY": "k-4711-x"}, {}])
def test_a_secret_is_redacted_from_then_on(tmp_path: Path, environment: dict[str, str]) -> None:
    place = workshop(tmp_path, environment, api_key="k-4711-x")
    place.build(Acme)

    assert f"the key is {MASK}" == place.redactor("the key is k-4711-x")


def test_what_is_no_secret_is_not_redacted(tmp_path: Path) -> None:
    place = workshop(tmp_path, None, base_url="https://file")
    place.build(Acme)

    assert "https://file" == place.redactor("https://file")


def test_a_data_path_lies_below_a_data_folder_that_is_there(tmp_path: Path) -> None:
    assert tmp_path / "data" / "acme.cache" == acme(workshop(tmp_path), "cache")
    assert (tmp_path / "data").is_dir()


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")

    with pytest.raises(
        ConfigError, match=r"Cannot create the data folder .*data: File exists\. Move the file that is in the way"
    ):
        acme(workshop(tmp_path), "cache")


def test_a_data_path_can_be_set(tmp_path: Path) -> None:
    assert Path("/elsewhere") == acme(workshop(tmp_path, None, cache="/elsewhere"), "cache")
    assert not (tmp_path / "data").exists()


def test_another_plugin_is_built_by_name(tmp_path: Path) -> None:
    place = workshop(tmp_path)
    chosen = Workshop(tmp_path, {"memory.store.embedder": "minilm"}, {})

    assert Store("embedders/lexical") == place.build(Store, "memory", "store")
    assert Store("embedders/minilm") == chosen.build(Store, "memory", "store")


def test_another_plugin_that_does_not_exist_is_an_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(PluginNotFoundError):
        Workshop(tmp_path, {"memory.store.embedder": "unheard-of"}, {}).build(Store, "memory", "store")


def test_a_table_within_the_table_is_one_value(tmp_path: Path) -> None:
    place = workshop(tmp_path, None, **{"headers.X-Team": "blue", "headers.X-Other": "1"})

    assert {"X-Team": "blue", "X-Other": "1"} == acme(place, "headers")


def test_seams_keep_their_defaults(tmp_path: Path) -> None:
    assert None is acme(workshop(tmp_path), "seam")


def test_other_plugins_tables_and_unknown_keys_are_left_alone(tmp_path: Path) -> None:
    place = Workshop(tmp_path, {"providers.acmetoo.tries": 9, "providers.acme.colour": "blue"}, {"ACME_API_KEY": "k"})

    assert 3 == acme(place, "tries")


# What is built, and what is taken as it is.


def test_a_dataclass_is_a_constructor_too(tmp_path: Path) -> None:
    place = Workshop(tmp_path, {"hooks.fact.name": "truth"}, {"FACT_LEVEL": "7"})

    assert Fact(7, "truth") == place.build(Fact, "hooks", "fact")


def test_a_function_that_makes_a_plugin_is_called(tmp_path: Path) -> None:
    def make(*rest: int, size: int = 1, **more: int) -> tuple[object, ...]:
        return rest, size, more

    assert ((), 4, {}) == Workshop(tmp_path, {"tools.box.size": 4, "tools.box.rest": 1}, {}).build(make, "tools", "box")


def test_a_class_without_parameters_is_made(tmp_path: Path) -> None:
    assert isinstance(workshop(tmp_path).build(Seam), Seam)


def test_modules_objects_and_commands_are_taken_as_they_are(tmp_path: Path) -> None:
    module, thing, command = ModuleType("hooks_of_mine"), Seam(), click.Command("paint")

    assert module is workshop(tmp_path).build(module, "hooks")
    assert thing is workshop(tmp_path).build(thing, "tools")
    assert command is workshop(tmp_path).build(command, "commands")


def test_a_command_may_have_parameters(tmp_path: Path) -> None:
    def paint(*, colour: str = "red") -> click.Command:
        return click.Command(colour)

    built = Workshop(tmp_path, {"commands.paint.colour": "blue"}, {}).build(paint, "commands", "paint")

    assert "blue" == built.name


# Values of the wrong kind.


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("timeout", 5, 5.0),
        ("timeout", "2.5", 2.5),
        ("tries", 4, 4),
        ("streams", False, False),
        ("beta", "b", "b"),
        ("models", ["a", "b"], ("a", "b")),
    ],
)
def test_values_are_made_what_the_parameter_says(tmp_path: Path, key: str, value: object, expected: object) -> None:
    built = acme(workshop(tmp_path, None, **{key: value}), key)

    assert (expected, type(expected)) == (built, type(built))


def test_a_variables_text_is_made_what_the_parameter_says(tmp_path: Path) -> None:
    assert Fact(level=12) == Workshop(tmp_path, {}, {"FACT_LEVEL": "12"}).build(Fact, "hooks", "fact")


@pytest.mark.parametrize(
    ("key", "value"), [("tries", "many"), ("tries", 2.5), ("timeout", []), ("beta", 5), ("streams", "perhaps")]
)
def test_a_value_that_cannot_be_is_named_with_its_key_and_place(tmp_path: Path, key: str, value: object) -> None:
    with pytest.raises(ConfigError) as refusal:
        workshop(tmp_path, None, **{key: value}).build(Acme)

    assert str(refusal.value).startswith(f"[providers.acme] {key} in there.toml is {value!r}: Input should be ")


def test_a_variable_that_cannot_be_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\[hooks\.fact\] level in \$FACT_LEVEL is 'high': Input should be a valid"):
        Workshop(tmp_path, {}, {"FACT_LEVEL": "high"}).build(Fact, "hooks", "fact")


def test_a_secret_that_cannot_be_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refusal:
        workshop(tmp_path, {}, api_key=12345).build(Acme)

    assert "[providers.acme] api_key in there.toml: Input should be a valid string." == str(refusal.value)


def test_nor_is_one_that_is_an_ordinary_word_which_nothing_masks(tmp_path: Path) -> None:
    @dataclass
    class Gate:
        pin: Annotated[int, Env("GATE_PIN", secret=True)]

    place = Workshop(tmp_path, {}, {"GATE_PIN": "opensesame"})
    with pytest.raises(ConfigError) as refusal:
        place.build(Gate, "tools", "gate")

    assert "opensesame" == place.redactor("opensesame")
    assert "opensesame" not in str(refusal.value)
    assert str(refusal.value).startswith("[tools.gate] pin in $GATE_PIN: Input should be a valid integer")


def test_a_seam_cannot_be_set_in_a_file(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"\[providers\.acme\] seam in there\.toml is 'x': it cannot be set in a file"
    ):
        workshop(tmp_path, None, seam="x").build(Acme)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        (Acme, "acme needs api_key. Set ACME_API_KEY, or `api_key` under [providers.acme] in the config file."),
        (Bare, "acme needs embedder. Set `embedder` under [providers.acme] in the config file."),
    ],
)
def test_what_is_missing_is_named_with_the_places_to_set_it(tmp_path: Path, target: type, sentence: str) -> None:
    with pytest.raises((ConfigError, NoProviderError)) as refusal:
        workshop(tmp_path, {}).build(target)

    assert (sentence, target is Acme) == (str(refusal.value), isinstance(refusal.value, NoProviderError))
