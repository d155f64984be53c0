"""What is known of models without asking anybody."""

import json
from pathlib import Path

import pytest

from openkoi_hookspecs import ConfigError, Price, ProviderInfo
from openkoi_models import Catalogue

OURS = {
    "schema": "openkoi.models/1",
    "offers": [{"provider": "acme", "model": "large-2", "variable": "ACME_API_KEY", "title": "Acme", "hint": "key"}],
    "short": {"large": "acme/large-2"},
    "models": {
        "acme": {
            "large": {"starts": ["large"], "context": 1000, "output": 5000, "price": [1, 2]},
            "large-2": {"is": ["large-two"], "starts": ["large-2"], "context": 2000, "price": [3, 15, 0.3, 3.75]},
            "tiered": {"price": [1, 2], "above": 100, "beyond": [2, 4], "edit": "whole", "can": ["tools"]},
            "free": {"has": ["-free"], "context": 10},
        }
    },
}


def catalogue(tmp_path: Path, *tables: object) -> Catalogue:
    files = [tmp_path / f"{number}.json" for number, _ in enumerate(tables)]
    for file, table in zip(files, tables, strict=True):
        file.write_text(json.dumps(table))
    return Catalogue([*files, tmp_path / "absent.json"])


@pytest.mark.parametrize(
    ("name", "context"),
    [("large", 1000), ("large-1", 1000), ("large-2", 2000), ("large-2-20260101", 2000), ("large-two", 2000)],
)
def test_an_exact_name_or_the_longest_beginning_tells(tmp_path: Path, name: str, context: int) -> None:
    found = catalogue(tmp_path, OURS).find_facts("acme", name)

    assert found is not None
    assert context == found.context


def test_no_answer_is_longer_than_what_is_read(tmp_path: Path) -> None:
    found = catalogue(tmp_path, OURS).find_facts("acme", "large")

    assert found is not None
    assert 1000 == found.output


def test_what_is_not_known_is_none(tmp_path: Path) -> None:
    known = catalogue(tmp_path, OURS)

    assert (None, None) == (known.find_facts("acme", "other"), known.find_facts("borg", "large"))
    free = known.find_facts("acme", "x-free")
    assert free is not None
    assert free.price is None


def test_a_long_request_may_cost_more_as_a_whole(tmp_path: Path) -> None:
    found = catalogue(tmp_path, OURS).find_facts("acme", "tiered")

    assert found is not None
    assert found.price is not None
    assert (1.0, 2.0) == (found.price.at(100).input, found.price.at(101).input)
    assert ("whole", ("tools",)) == (found.edit, found.can)
    assert Price(2.0, 4.0) == found.price.at(101)


def test_short_names_and_offers(tmp_path: Path) -> None:
    known = catalogue(tmp_path, OURS)

    assert ("acme/large-2", "") == (known.long_name("large"), known.long_name("medium"))
    assert [ProviderInfo("acme", "large-2", variable="ACME_API_KEY", title="Acme", hint="key")] == list(known.providers)


@pytest.mark.row("CLI-15")
def test_a_name_or_another_name_of_a_model_tells_all_who_have_it(tmp_path: Path) -> None:
    team: dict[str, object] = {"models": {"borg": {"large-2": {}}, "acme": {"own": {}}}}
    known = catalogue(tmp_path, OURS, team)

    assert {"acme/large-2", "borg/large-2"} == set(known.full_names("large-2"))
    assert [["acme/large-two"], ["acme/own"]] == [known.full_names(name) for name in ("large-two", "own")]
    assert [[], []] == [known.full_names(name) for name in ("large-2-20260101", "")]


def test_a_later_bundle_outranks_an_earlier_one(tmp_path: Path) -> None:
    team = {"short": {"large": "acme/tiered"}, "offers": [{"provider": "acme", "model": "tiered"}]}
    known = catalogue(tmp_path, OURS, team)

    assert "acme/tiered" == known.long_name("large")
    assert ["tiered"] == [offer.model for offer in known.providers]
    assert known.find_facts("acme", "large") is not None


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    file.write_text("{")

    with pytest.raises(ConfigError, match=r"Cannot load the model file .*models\.json"):
        Catalogue([file]).find_facts("acme", "large")


def test_nothing_is_known_where_there_is_no_file(tmp_path: Path) -> None:
    known = catalogue(tmp_path)

    assert (None, "", ()) == (known.find_facts("a", "b"), known.long_name("a"), tuple(known.providers))
