"""Code versions of assets: hashes of the parts of the program that run for them."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import dagster as dg
from dagster._core.definitions.assets.definition.cacheable_assets_definition import CacheableAssetsDefinition

import pipeline
import retrieval
from pipeline.building.kept_work import program_version
from retrieval.files.versions import sources

_BUILDING = ("files", "index", "ingest", "language", "models", "query_must")
"""Folders of `retrieval` that make what is searched; the others search it."""
_SEARCHED = frozenset({"ingest", "index"})
"""Groups of the assets that make it."""

Loaded = dg.AssetsDefinition | dg.SourceAsset | CacheableAssetsDefinition | dg.AssetSpec


def with_code_versions(loaded: Sequence[Loaded]) -> list[Loaded]:
    """Return the loaded definitions; assets made here get a hash of the program's source as code version.

    It is the hash of what makes an index for assets that do so, and of the whole program for those that evaluate it.
    Thus a change to the search leaves the index up to date.
    """
    return [asset.map_asset_specs(_versioned) if isinstance(asset, dg.AssetsDefinition) else asset for asset in loaded]


def _versioned(spec: dg.AssetSpec) -> dg.AssetSpec:
    version = building_version() if spec.group_name in _SEARCHED else program_version()[:16]
    return spec.replace_attributes(code_version=version)


@cache
def building_version() -> str:
    """Return a hash of the source files and the learned files that make an index, at the time of the first call."""
    ours, assets = Path(retrieval.__path__[0]), Path(pipeline.__path__[0])
    roots = [*(ours / name for name in _BUILDING), assets / "building", assets / "defs"]
    digest = sha256(b"".join(path.read_bytes() for path in sorted(ours.glob("*.py"))))
    for root in roots:
        for part in sources(root, root.name):
            digest.update(part)
    return digest.hexdigest()[:16]
