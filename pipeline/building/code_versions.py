"""Code versions of assets: hashes of the source that they run, found by following the names in their functions."""

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.definitions.assets.definition.cacheable_assets_definition import CacheableAssetsDefinition
from pydantic import ValidationError

import evals
import pipeline
import retrieval
from pipeline.building.kept_work import program_version
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.files.versions import SOURCES

_PACKAGES = {package.__name__: package for package in (retrieval, evals, pipeline)}
_DATA = SOURCES - {".py"} | {".html", ".css", ".js"}
_Name = tuple[str, str]
"""A module and a name at its top level; an empty name stands for the whole module."""

KEPT = Path(__file__).parent / "__pycache__" / "code_versions.json"
"""Cache of the versions, beside Python's own compiled files, because following every name takes a second."""

Loaded = dg.AssetsDefinition | dg.SourceAsset | CacheableAssetsDefinition | dg.AssetSpec


@dataclass(frozen=True, slots=True)
class KeptVersions:
    """The code versions of the assets of one version of the program. Key: program."""

    program: str
    versions: dict[str, str]
    """Code version by asset."""


def with_code_versions(loaded: Sequence[Loaded]) -> list[Loaded]:
    """Return the loaded definitions; assets made here get the hash of the source that they run as code version."""
    made = [asset for asset in loaded if isinstance(asset, dg.AssetsDefinition)]
    functions = {asset.key.to_user_string(): _function(asset) for asset in made}
    kept = _kept_versions()
    if kept is None or set(kept.versions) != set(functions):
        kept = KeptVersions(
            program_version(), {name: running_version(function) for name, function in functions.items()}
        )
        with suppress(OSError):  # an installation may be read-only
            write_atomically(KEPT, dump_record(kept))
    versions = kept.versions

    def versioned(spec: dg.AssetSpec) -> dg.AssetSpec:
        return spec.replace_attributes(code_version=versions[spec.key.to_user_string()])

    others = [asset for asset in loaded if not isinstance(asset, dg.AssetsDefinition)]
    return [*(asset.map_asset_specs(versioned) for asset in made), *others]


def _function(asset: dg.AssetsDefinition) -> Callable[..., Any]:
    compute: Any = asset.op.compute_fn
    function: Callable[..., Any] = compute.decorated_fn
    return function


def _kept_versions() -> KeptVersions | None:
    try:
        kept = parse_record(KEPT.read_bytes(), KeptVersions)
    except (OSError, ValidationError):
        return None
    return kept if kept.program == program_version() else None


def running_version(function: Callable[..., Any]) -> str:
    """Return a hash of the definitions that a function reaches in our packages, and of the data files beside them.

    A name is followed into the module that defines it; a class counts as a whole, and a function with the types in its
    signature. Its own decorators do not count: they determine when an asset runs, not what it makes.
    """
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    digest = sha256()
    for part in sorted(set(_reached(function.__module__, function.__qualname__.partition(".")[0]))):
        digest.update(f"{part}\0".encode())
    return digest.hexdigest()[:16]


def _reached(module: str, function: str) -> Iterator[str]:
    """Yield the text of each definition that is reached, and the digest of each data file beside one."""
    seen: set[_Name] = set()
    waiting: list[_Name] = []
    start = _source(module)
    for definition in start.definitions.get(function, ()):
        yield definition.text
        waiting += start.follow(definition.names, definition.imports)
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        source = _source(key[0])
        yield from source.data
        if key[1] in source.imported:  # re-exported
            waiting.append(source.imported[key[1]])
        for definition in source.find(key[1]):
            yield f"{definition.decorators}{definition.text}"
            waiting += source.follow(definition.names | definition.names_of_decorators, definition.imports)


@dataclass(frozen=True, slots=True)
class _Definition:
    """One statement at the top level of a module."""

    text: str
    """Source text without the decorators."""
    decorators: str
    names: frozenset[str]
    """Every name that its text uses."""
    names_of_decorators: frozenset[str]
    imports: tuple[_Name, ...]
    """Names of our packages that it imports when it runs."""


@dataclass(frozen=True, slots=True)
class _Source:
    module: str
    definitions: dict[str, list[_Definition]] = field(default_factory=dict)
    imported: dict[str, _Name] = field(default_factory=dict)
    """Origin of each import, by its name in this module."""
    data: tuple[str, ...] = ()

    def find(self, name: str) -> list[_Definition]:
        """Return the definitions of a name; for an empty name all of the module's."""
        if not name:
            return [definition for of_name in self.definitions.values() for definition in of_name]
        return self.definitions.get(name, [])

    def follow(self, names: frozenset[str], imports: tuple[_Name, ...]) -> list[_Name]:
        """Return where these names are defined; names from other packages are ignored."""
        own = [(self.module, name) for name in names if name in self.definitions]
        return [*own, *(self.imported[name] for name in names if name in self.imported), *imports]


@cache
def _source(module: str) -> _Source:
    path = _path(module)
    text = path.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    files = sorted(file for file in path.parent.iterdir() if file.suffix in _DATA)
    source = _Source(module, data=tuple(f"{file.name} {sha256(file.read_bytes()).hexdigest()}" for file in files))
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            source.imported.update(_imported(statement, module))
        elif not _is_for_types(statement):
            definition = _definition(statement, lines, module)
            for name in _bound(statement):
                source.definitions.setdefault(name, []).append(definition)
    return source


def _definition(statement: ast.stmt, lines: list[str], module: str) -> _Definition:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    imports: dict[str, _Name] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports |= _imported(node, module)
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return _Definition(
        text="".join(lines[statement.lineno - 1 : statement.end_lineno]),
        decorators="".join(lines[first - 1 : statement.lineno - 1]),
        names=_names(*(child for child in ast.iter_child_nodes(statement) if child not in decorators)),
        names_of_decorators=_names(*decorators),
        imports=tuple(imports.values()),
    )


def _names(*nodes: ast.AST) -> frozenset[str]:
    return frozenset(name.id for node in nodes for name in ast.walk(node) if isinstance(name, ast.Name))


def _bound(statement: ast.stmt) -> frozenset[str]:
    """Return the names that a statement defines; an empty name if it defines none."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({statement.name})
    stored = (node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return frozenset(stored) or frozenset({""})


def _imported(statement: ast.Import | ast.ImportFrom, module: str) -> dict[str, _Name]:
    if isinstance(statement, ast.Import):
        return {name.asname or name.name: (name.name, "") for name in statement.names if _is_ours(name.name)}
    origin = statement.module or module
    if statement.level or not _is_ours(origin):
        return {}
    return {name.asname or name.name: _origin(origin, name.name) for name in statement.names}


def _origin(module: str, name: str) -> _Name:
    """Return the submodule of that name if `module` is a package that has one, or else the name in the module."""
    return (
        (f"{module}.{name}", "")
        if _path(module).name == "__init__.py" and _exists(f"{module}.{name}")
        else (module, name)
    )


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in _PACKAGES


def _is_for_types(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.If) and isinstance(statement.test, ast.Name) and statement.test.id == "TYPE_CHECKING"
    )


def _path(module: str) -> Path:
    package, *parts = module.split(".")
    path = Path(_PACKAGES[package].__path__[0]).joinpath(*parts)
    # An update that turns a package into a module leaves the folder with its compiled files behind.
    return made if (made := path / "__init__.py").is_file() else path.with_suffix(".py")


def _exists(module: str) -> bool:
    return _path(module).is_file()
