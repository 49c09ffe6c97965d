import importlib
import inspect
import re
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
import typer.main

from evals.metric_table import METRICS
from pipeline.cli import app
from retrieval.errors import UnknownNameError
from retrieval.settings import SETTINGS_FILE, Settings
from tools.pages.seed_names import PAGE, SeedName, SeedText, read_texts, seed_page

ROOT = Path(__file__).parents[3]
TEXTS = read_texts()
WRITERS = ("ingest/enrichment", "rag/contract", "rag/rag_context", "index/chroma")
"""Files of `retrieval` that write the metadata of chunks."""


def is_known(where: str, folder: Path) -> bool:
    kind, _, name = where.partition(": ")
    match kind:
        case "metadata":
            return name in metadata_keys()
        case "metric":
            return name in {metric.name for metric in METRICS}
        case "rag.yaml":
            return is_setting(name, folder)
    if where.startswith("querymust "):
        return is_command(where.removeprefix("querymust "))
    if re.match(r"(retrieval|evals|pipeline|tools)\.\w", where):
        return is_in_code(where)
    path, _, test = where.partition("::")
    text = (ROOT / path).read_text("utf-8") if test and (ROOT / path).is_file() else ""
    return f"def {test}(" in text if test else (ROOT / path).exists()


@cache
def metadata_keys() -> set[str]:
    return {
        key for name in WRITERS for key in re.findall(r'"(\w+)"', (ROOT / f"retrieval/{name}.py").read_text("utf-8"))
    }


def is_setting(key: str, folder: Path) -> bool:
    section, _, inner = key.partition(".")
    (folder / SETTINGS_FILE).write_text(f"{section}:\n  {inner}:\n" if inner else f"{section}:\n", "utf-8")
    try:
        Settings.read(folder, {})
    except UnknownNameError:
        return False
    return True


def is_command(said: str) -> bool:
    words = said.split()
    command: Any = typer.main.get_command(app)
    while words and hasattr(command, "commands"):
        command = command.commands.get(words.pop(0))
    options = {option for parameter in getattr(command, "params", ()) for option in parameter.opts}
    return command is not None and set(words) <= options


def is_in_code(place: str) -> bool:
    path, _, member = place.partition(": ")
    path, _, parameter = path.partition("(")
    thing = named(path)
    if thing is None:
        return False
    if parameter:
        return parameter.removesuffix(")") in inspect.signature(thing).parameters
    return not member or member in (get_args(thing) or thing)


def named(path: str) -> Any:
    """What the dotted path leads to; None where a step of it is not there."""
    names = path.split(".")
    thing: Any = importlib.import_module(names.pop(0))
    for at, name in enumerate(names):
        if inspect.ismodule(thing) and is_module(thing, name):
            thing = importlib.import_module(f"{thing.__name__}.{name}")
        elif hasattr(thing, name):
            thing = getattr(thing, name)
        else:
            return thing if at + 1 == len(names) and is_field(thing, name) else None
    return thing


def is_module(package: ModuleType, name: str) -> bool:
    # A package may export a function by the name of a module of its own: retrieval.query_must.lint.
    return hasattr(package, "__path__") and find_spec(f"{package.__name__}.{name}") is not None


def is_field(thing: Any, name: str) -> bool:
    own = {field.name for field in dataclass_fields(thing)} if is_dataclass(thing) else set()
    return name in own | set(getattr(thing, "model_fields", ()))


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.title)
def test_whatever_a_text_names_is_where_the_page_says(text: SeedText, tmp_path: Path) -> None:
    assert [name for name in text.names if name.place and not is_known(name.place, tmp_path)] == []


@pytest.mark.parametrize(
    "place",
    [
        "retrieval.rag.contract.RAGContext.chunk_total",
        "retrieval.rag.contrakt.RAGContext",
        "retrieval.rag.contract.DOC_TYPES: comics",
        "retrieval.types.StopReason: Never",
        "retrieval.search.retriever.Retriever.retrieve(questions)",
        "querymust build --plum",
        "querymust rebuild",
        "rag.yaml: chunking.max_chunk_token",
        "rag.yaml: chunk",
        "metadata: sektion",
        "metric: hit@2",
        "docs/seeds.md",
        "tests/pipeline/test_e2e_filtering.py::test_example_4",
        "tests/pipeline/test_e2e.py::test_example_4",
    ],
)
def test_a_place_that_is_gone_is_seen(place: str, tmp_path: Path) -> None:
    assert not is_known(place, tmp_path)


def test_the_page_is_the_one_that_the_names_give() -> None:
    assert PAGE.read_text("utf-8") == seed_page(TEXTS), "stale; run: python -m tools.pages.seed_names"


def test_a_name_is_said_once_in_a_text() -> None:
    for text in TEXTS:
        output = [(name.kind, name.name) for name in text.names]
        assert sorted(set(output)) == sorted(output)


@pytest.mark.parametrize("given", [{}, {"place": "docs", "missing": "all of it"}])
def test_a_name_has_a_place_or_a_reason(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="k1"):
        SeedName("k1", "parameter", **given)
