import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import retrieval
from retrieval import errors


@pytest.mark.parametrize("name", retrieval.__all__)
def test_every_public_name_exists_and_has_a_docstring(name: str) -> None:
    value = getattr(retrieval, name)
    assert value is not None
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)
        assert value.__name__ == name


def test_the_list_is_complete_sorted_and_what_a_type_checker_sees() -> None:
    tree = ast.parse(Path(retrieval.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    seen = [alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    (listed,) = [ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    assert sorted(seen) == sorted(listed) == sorted(retrieval.__all__)
    assert len(set(retrieval.__all__)) == len(retrieval.__all__)
    assert set(retrieval.__all__) <= set(dir(retrieval))


def test_every_error_is_a_retrieval_error_with_a_docstring() -> None:
    classes = [value for value in vars(errors).values() if inspect.isclass(value)]
    defined = [value for value in classes if value.__module__ == errors.__name__]
    assert len(defined) > 20
    assert [
        each for each in defined if not issubclass(each, retrieval.RetrievalError) or not inspect.getdoc(each)
    ] == []


def test_there_are_few_public_names() -> None:
    assert len(retrieval.__all__) <= 40


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Nothing"):
        retrieval.Nothing  # noqa: B018


def test_importing_it_is_cheap_and_a_search_does_not_import_chroma_until_it_must() -> None:
    code = """
import sys, retrieval
assert not {"numpy", "pydantic", "chromadb"} & set(sys.modules)
retrieval.Retriever, retrieval.load_embedder, retrieval.explain
heavy = {"chromadb", "wordllama", "openai", "scipy", "dagster", "pandas", "requests", "yaml"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=Path.cwd(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
