import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PACKAGES = ("retrieval", "evals", "pipeline", "tools")
PYTHON_FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MADE_HERE = {".git", ".venv", ".querymust", ".hypothesis", ".coverage", "__pycache__", "build", "dist", "node_modules"}
"""Folders that are not part of the project; git is not asked, because it refuses a clone that another user owns."""


def _files() -> list[str]:
    files = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in files if not any(_made_here(part) for part in path.parts))


def _made_here(part: str) -> bool:
    return part in MADE_HERE or part.endswith((".egg-info", "_cache", ".pyc")) or part.startswith(".tmp")


FILES = _files()
TEXT_SUFFIXES = {".py", ".md", ".toml", ".yaml", ".yml", ".json", ".jsonl", ".txt", ".cfg", ".html", ".css", ".js", ""}

INVENTED = "evals/sample/sealed/"
"""Its books are about machines that do not exist, and name their folders."""
FORBIDDEN = {
    "a machine's path": re.compile(r"(?<![\w.])/(?:work|home|Users|root|mnt)/[\w-]"),
    "a package index": re.compile(r"--(?:extra-)?index-url|https?://[^\s\"']*/simple\b"),
}


def imports(path: Path, name: str) -> bool:
    return re.search(rf"^\s*(?:import|from)\s+{name}\b", path.read_text("utf-8"), re.MULTILINE) is not None


def test_the_packages_and_the_files_are_found() -> None:
    assert len(PYTHON_FILES) > 20
    assert "pyproject.toml" in FILES


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_fits_on_a_few_screens(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 600


def test_definitions_fit_on_one_screen() -> None:
    assert len((ROOT / "pipeline" / "definitions.py").read_text("utf-8").splitlines()) < 40


def known_to(name: str) -> list[str]:
    """The files that import a library, but for those of the benchmark, which measures it as others use it."""
    known = [path.relative_to(ROOT).as_posix() for path in PYTHON_FILES if imports(path, name)]
    return [path for path in known if not path.startswith("tools/benchmark/systems/")]


def test_one_file_knows_chroma() -> None:
    assert known_to("chromadb") == ["retrieval/index/chroma.py"]


def test_one_file_knows_openai() -> None:
    assert [path.relative_to(ROOT).as_posix() for path in PYTHON_FILES if imports(path, "openai")] == [
        "retrieval/models/openai_client.py"
    ]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("pymongo", "retrieval/artifacts/mongo_store.py"),
        ("fsspec", "retrieval/index/places.py"),
    ],
)
def test_one_file_knows_each_engine_and_each_place(name: str, file: str) -> None:
    assert [path.relative_to(ROOT).as_posix() for path in PYTHON_FILES if imports(path, name)] == [file]


@pytest.mark.parametrize(
    ("name", "file"), [("langchain_core", "langchain_retriever.py"), ("llama_index", "llamaindex_retriever.py")]
)
def test_one_file_knows_each_framework(name: str, file: str) -> None:
    assert known_to(name) == [f"retrieval/adapters/{file}"]


@pytest.mark.parametrize("name", ["bm25s", "haystack", "langchain_classic", "langchain_community"])
def test_the_systems_of_the_benchmark_are_known_to_no_product(name: str) -> None:
    assert [path for path in known_to(name) if not path.startswith("tools/")] == []


def test_dagster_is_known_to_the_pipeline_and_to_two_files_of_evals() -> None:
    known = {path.relative_to(ROOT).as_posix() for path in PYTHON_FILES if imports(path, "dagster")}
    outside = {path for path in known if not path.startswith(("pipeline/", "tools/"))}
    assert outside == {"evals/asset_options.py", "evals/assets.py", "evals/checks.py"}


def test_modules_that_dagster_reads_keep_their_annotations() -> None:
    readers = [
        path for path in PYTHON_FILES if re.search(r"@(dg\.(asset|asset_check|sensor|schedule)|of_)", path.read_text())
    ]
    assert readers
    assert [path for path in readers if imports(path, "__future__")] == []


@pytest.mark.parametrize("module", ["retrieval", "retrieval.types", "retrieval.errors", "pipeline.cli"])
def test_a_light_import_loads_neither_dagster_nor_chroma(module: str) -> None:
    heavy = ("dagster", "chromadb", "pandas", "pydantic", "pyarrow", "scipy")
    program = f"import sys, {module}; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_workspace_and_dg_name_the_same_code_location() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["dg"]["project"]
    own, packaged = (yaml.safe_load((ROOT / name / "workspace.yaml").read_text("utf-8")) for name in ("", "pipeline"))
    assert own == packaged
    (entry,) = own["load_from"]
    assert entry["python_module"] == {
        "module_name": project["code_location_target_module"],
        "location_name": project["code_location_name"],
    }


def test_both_instance_files_keep_telemetry_off() -> None:
    for path in (ROOT / "dagster.yaml", ROOT / "pipeline" / "dagster.yaml"):
        settings = yaml.safe_load(path.read_text("utf-8"))
        assert settings["telemetry"] == {"enabled": False}
        assert settings["nux"] == {"enabled": False}


def test_tests_have_no_packages() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    result = [
        f"{name}:{number}"
        for name in FILES
        if (ROOT / name).suffix in TEXT_SUFFIXES and name != "tests/test_layout.py" and not name.startswith(INVENTED)
        for number, line in enumerate((ROOT / name).read_text("utf-8").splitlines(), start=1)
        if FORBIDDEN[what].search(line)
    ]
    assert result == []


def test_no_file_is_large_or_a_package() -> None:
    files = [name for name in FILES if (ROOT / name).stat().st_size > 2_000_000 or name.endswith((".whl", ".tar.gz"))]
    assert files == []


def test_the_data_beside_the_repository_is_named_in_one_place() -> None:
    needle = "shared/" + "data"
    named = [
        name
        for name in FILES
        if (ROOT / name).suffix in TEXT_SUFFIXES
        and (ROOT / name).is_file()
        and needle in (ROOT / name).read_text("utf-8")
    ]
    assert named == [".ci/run"]


def test_lists_of_words_are_data() -> None:
    def words(node: ast.AST) -> int:
        items = node.elts if isinstance(node, ast.Set | ast.Tuple | ast.List) else []
        texts = [item.value for item in items if isinstance(item, ast.Constant)]
        return sum(isinstance(text, str) and text.isalpha() and text.islower() for text in texts)

    listed = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "retrieval").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if words(node) >= 12
    ]
    assert listed == [], "they belong in retrieval/language/english.toml"


def test_imports_follow_the_arrows() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(tool)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
