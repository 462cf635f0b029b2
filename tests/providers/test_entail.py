"""The local entailment model: a tiny one, made here, that finds everything entailed that says «sigue»."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from veraz.errors import Invalid, OutsideDown
from veraz.providers.entail.onnx import OnnxEntailment
from veraz.providers.entail.pick import pick_entailment
from veraz.settings import Settings

LABELS = {"0": "contradiction", "1": "neutral", "2": "ENTAILMENT"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for package in ("onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(package)
    return make(tmp_path / "tiny", LABELS)


def make(folder: Path, labels: dict[str, str], *, inputs: tuple[str, ...] = ("input_ids",)) -> Path:
    """A model whose third output grows with every «sigue», its tokenizer and its labels."""
    folder.mkdir()
    _write_model(folder / "model.onnx", inputs)
    _write_tokenizer(folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps({"id2label": labels}), encoding="utf-8")
    return folder


def _write_model(path: Path, inputs: tuple[str, ...]) -> None:
    onnx: Any = pytest.importorskip("onnx")
    helper, kinds = onnx.helper, onnx.TensorProto
    constants = [
        helper.make_tensor("wanted", kinds.INT64, [1], [2]),
        helper.make_tensor("axis", kinds.INT64, [1], [1]),
        helper.make_tensor("weights", kinds.FLOAT, [1, 3], [-9.0, 0.0, 9.0]),
        helper.make_tensor("start", kinds.FLOAT, [3], [0.0, 4.0, 0.0]),
    ]
    nodes = [
        helper.make_node("Equal", ["input_ids", "wanted"], ["found"]),
        helper.make_node("Cast", ["found"], ["ones"], to=kinds.FLOAT),
        helper.make_node("ReduceSum", ["ones", "axis"], ["count"], keepdims=1),
        helper.make_node("MatMul", ["count", "weights"], ["odds"]),
        helper.make_node("Add", ["odds", "start"], ["logits"]),
    ]
    given = [helper.make_tensor_value_info(name, kinds.INT64, ["batch", "length"]) for name in inputs]
    out = [helper.make_tensor_value_info("logits", kinds.FLOAT, ["batch", 3])]
    graph = helper.make_graph(nodes, "tiny", given, out, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.write_bytes(model.SerializeToString())


def _write_tokenizer(path: Path) -> None:
    tokenizers: Any = pytest.importorskip("tokenizers")
    words = tokenizers.models.WordLevel({"[UNK]": 0, "[PAD]": 1, "sigue": 2}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(path))


async def test_each_pair_has_its_probability_in_order(folder: Path) -> None:
    pairs = [(f"premisa {n} {'sigue' if n % 3 == 0 else ''}", "una afirmación " * n) for n in range(40)]
    found = await OnnxEntailment(folder).entailed(pairs)
    assert [sure > 0.9 for sure in found] == [n % 3 == 0 for n in range(40)]
    assert all(0 <= sure <= 1 for sure in found)


async def test_nothing_to_read_needs_no_model(tmp_path: Path) -> None:
    assert await OnnxEntailment(tmp_path).entailed([]) == []


async def test_the_label_of_entailment_stands_in_the_config(tmp_path: Path, folder: Path) -> None:
    other = make(tmp_path / "other", {"0": "entailment", "1": "neutral", "2": "contradiction"})
    pair = [("sigue", "sigue")]
    assert await OnnxEntailment(folder).entailed(pair) != await OnnxEntailment(other).entailed(pair)


async def test_a_model_gets_the_inputs_it_has(tmp_path: Path, folder: Path) -> None:
    names = ("input_ids", "attention_mask", "token_type_ids")
    other = make(tmp_path / "three", LABELS, inputs=names)
    assert (await OnnxEntailment(other).entailed([("a", "sigue")]))[0] > 0.9


async def test_a_long_premise_is_cut_and_a_claim_is_not(folder: Path) -> None:
    (sure,) = await OnnxEntailment(folder).entailed([("palabra " * 5_000, "esto sigue")])
    assert sure > 0.9
    with pytest.raises(OutsideDown):
        await OnnxEntailment(folder).entailed([("a", "palabra " * 5_000)])


async def test_the_name_is_that_of_the_folder(folder: Path) -> None:
    assert OnnxEntailment(folder).name == "entail:tiny"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
async def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(Invalid) as fault:
        await OnnxEntailment(folder).entailed([("a", "b")])
    assert name in fault.value.message("es")
    assert "VERAZ_ENTAIL_MODEL" in fault.value.message("en")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
async def test_a_broken_file_is_a_fault(folder: Path, name: str) -> None:
    (folder / name).write_text("{}", encoding="utf-8")
    with pytest.raises(OutsideDown):
        await OnnxEntailment(folder).entailed([("a", "b")])


async def test_a_broken_config_is_a_fault(folder: Path) -> None:
    (folder / "config.json").write_text("no", encoding="utf-8")
    with pytest.raises((Invalid, OutsideDown)):
        await OnnxEntailment(folder).entailed([("a", "b")])


@pytest.mark.parametrize("labels", [{}, {"0": "LABEL_0", "1": "LABEL_1"}])
async def test_a_model_that_does_not_say_what_entailment_is_is_refused(
    folder: Path, labels: dict[str, str]
) -> None:
    (folder / "config.json").write_text(json.dumps({"id2label": labels}), encoding="utf-8")
    with pytest.raises(Invalid) as fault:
        await OnnxEntailment(folder).entailed([("a", "b")])
    assert "entailment" in fault.value.message("en")


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
async def test_a_missing_package_says_how_to_install_it(
    folder: Path, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Invalid) as fault:
        await OnnxEntailment(folder).entailed([("a", "b")])
    assert "veraz[entail]" in fault.value.message("es")


def test_the_model_of_the_settings_is_loaded_once(settings: Settings, tmp_path: Path) -> None:
    with_one = settings.model_copy(update={"entail_model": str(tmp_path / "mio")})
    assert pick_entailment(with_one) is pick_entailment(with_one)
    assert pick_entailment(with_one).name == "entail:mio"


def test_without_a_model_the_setting_is_named(settings: Settings) -> None:
    with pytest.raises(Invalid) as fault:
        pick_entailment(settings)
    assert "VERAZ_ENTAIL_MODEL" in fault.value.message("es")
