"""Briefs: what a file says is what is read, and whatever is wrong with it is named."""

from dataclasses import asdict, fields, is_dataclass, replace
from typing import get_type_hints

import pytest
import yaml
from conftest import ROOT

from largebatch.brief import Brief, BriefError, Limits, numbers, parse, read

EXAMPLE = ROOT / "examples" / "brief.yaml"


def entries() -> dict:
    """Return what the example's file says."""
    return yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))


def changed(path: str, *value) -> dict:
    """Return the example with an entry, such as "cluster.price", set to a value, or left out."""
    *sections, name = path.split(".")
    whole = part = entries()
    for section in sections:
        part = part[section]
    part.update({name: value[0]}) if value else part.pop(name)
    return whole


# -- what is read ----------------------------------------------------------------------------------------------------------------


def test_example_is_read_with_its_numbers():
    brief = read(EXAMPLE)
    assert (brief.model.num_params, brief.tokens, brief.known.warmup) == (6.7e9, 140e9, 375e6), "7e9 is a text in YAML"
    assert (brief.known.optimizer, brief.cluster.num_gpus, brief.limits.days) == ("adamw", 256, 14)
    assert isinstance(brief.cluster.num_gpus, int) and isinstance(brief.model.vocabulary, int)
    assert parse(asdict(brief)) == brief


def test_example_shows_every_entry():
    def names(kind: type) -> dict:
        hints = get_type_hints(kind)
        return {
            field.name: names(hints[field.name]) if is_dataclass(hints[field.name]) else None for field in fields(kind)
        }

    def shown(part) -> dict:
        return {name: shown(value) if isinstance(value, dict) else None for name, value in part.items()}

    assert shown(entries()) == names(Brief)


def test_limits_and_warmup_may_be_left_out():
    no_limits = replace(read(EXAMPLE), limits=Limits())
    assert parse(changed("limits")) == parse(changed("limits", None)) == parse(changed("limits", {})) == no_limits
    assert parse(changed("known.warmup")).known.warmup == 0
    assert parse(changed("limits.days", float("inf"))).limits.days == float("inf")
    assert parse(changed("known.warmup", 0)).known.warmup == parse(changed("cluster.latency", 0)).cluster.latency == 0


def test_numbers_are_all_there_with_their_place():
    found = dict(numbers(read(EXAMPLE)))
    assert len(found) == 6 + 2 + 3 + 8 + 3
    assert (found["cluster.bandwidth"], found["tokens"]) == (50, 140e9)


# -- what is wrong ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("cluster.num_gpu", 8, r"cluster.num_gpu: no such entry; did you mean num_gpus\?"),
        ("limits.euros", 8, "limits.euros: no such entry; there are days, dollars, tokens"),
        ("modell", {}, r"modell: no such entry; did you mean model\?"),
        ("cluster.7", 8, "cluster.7: no such entry; there are num_gpus, .*"),
        ("tokens", "many", "tokens: a number is needed, such as 4096 or 7e9, not 'many'"),
        ("tokens", None, "tokens: a number is needed, such as 4096 or 7e9, not nothing"),
        ("tokens", [1, 2], r"tokens: a number is needed, .* not \[1, 2\]"),
        ("tokens", True, "tokens: a number is needed, .* not True"),
        ("tokens", float("nan"), "tokens: a number is needed, .* not nan"),
        ("tokens", "nan", "tokens: a number is needed, .* not 'nan'"),
        ("limits.days", float("nan"), "limits.days: a number is needed, .* not nan"),
        ("tokens", 10**400, r"tokens: a number is needed, .* not 1000+\.\.\.0+"),
        ("tokens", "1e400", "tokens: must be finite, not inf"),
        ("cluster.price", float("inf"), "cluster.price: must be finite, not inf"),
        ("cluster.num_gpus", float("inf"), "cluster.num_gpus: a whole number is needed, not inf"),
        ("cluster.num_gpus", 2.5, "cluster.num_gpus: a whole number is needed, not 2.5"),
        ("cluster.num_gpus", 0, "cluster.num_gpus: must be positive, not 0"),
        ("model.num_params", -7e9, r"model.num_params: must be positive, not -7e\+09"),
        ("limits.dollars", -1, "limits.dollars: must be positive, not -1"),
        ("limits.days", 0, "limits.days: must be positive, not 0"),
        ("known.warmup", -1, "known.warmup: must be 0 or more, not -1"),
        ("cluster.latency", -1e-5, "cluster.latency: must be 0 or more, not -1e-05"),
        ("cluster.utilisation", 50, "cluster.utilisation: a share, at most 1, not 50"),
        ("known.optimizer", "Adam", "known.optimizer: must be adamw or sgd, not 'Adam'"),
        ("known.optimizer", None, "known.optimizer: must be adamw or sgd, not 'None'"),
        ("known.warmup", 15e9, r"known.warmup: at most 10% of the 1.4e\+11 tokens of the run, not 1.5e\+10"),
        ("model", [7e9], r"model: entries such as `name: value` are needed, not \[7000000000.0\]"),
        ("model", None, "model.num_params: missing; add it"),
        ("limits", "none", "limits: entries such as `name: value` are needed, not 'none'"),
    ],
)
def test_a_wrong_entry_is_named(path, value, message):
    with pytest.raises(BriefError, match=f"^{message}$"):
        parse(changed(path, value))


def test_a_missing_entry_is_named():
    for name, value in entries().items():
        if name != "limits":
            with pytest.raises(BriefError, match=f"^{name}: missing; add it$"):
                parse(changed(name))
        for inner in value if isinstance(value, dict) and name != "limits" else ():
            if inner != "warmup":
                with pytest.raises(BriefError, match=f"^{name}.{inner}: missing; add it$"):
                    parse(changed(f"{name}.{inner}"))


def test_ends_of_the_ranges_are_allowed():
    assert parse(changed("cluster.utilisation", 1)).cluster.utilisation == 1
    assert parse(changed("known.warmup", 14e9)).known.warmup == 14e9


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "model: missing; add it"),
        (b"- model\n- tokens\n", r"the brief: entries such as `name: value` are needed, not \['model', 'tokens'\]"),
        (b"7e9", "the brief: entries such as `name: value` are needed, not '7e9'"),
        (b"model: {num_params: 7e9", "{path}: not YAML: .*line 1.*"),
        (b"\xff\xfe\x00\x01\x02", "{path}: not YAML: .*"),
        (b"tokens: \x07", "{path}: not YAML: .*"),
        (b"tokens: !!python/object:os.system 1", "{path}: not YAML: .*"),
    ],
)
def test_a_file_that_is_no_brief_is_named(tmp_path, content, message):
    path = tmp_path / "brief.yaml"
    path.write_bytes(content)
    with pytest.raises(BriefError, match=f"^{message.format(path=path)}$"):
        read(path)


def test_a_path_that_is_no_file_is_named(tmp_path):
    with pytest.raises(BriefError, match=r"none\.yaml: No such file or directory$"):
        read(tmp_path / "none.yaml")
    with pytest.raises(BriefError, match=r": Is a directory$"):
        read(tmp_path)
