from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import IndexCorruptError
from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.files.arrays import save_array
from retrieval.index import regions
from retrieval.index.regions import Regions
from tests.retrieval.index.conftest import vectors_of

GUARDED = np.arange(500) % 3 == 0


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> Regions:
    monkeypatch.setattr(regions, "UNDIVIDED", 100)
    monkeypatch.setattr(regions, "SIZE", 16)
    return Regions.build(vectors_of(500), GUARDED)


def test_every_chunk_is_in_one_region_and_they_rise_in_it(divided: Regions) -> None:
    assert 500 / 32 < len(divided) < 500 / 8
    assert divided.guarded.tolist() == sorted(divided.guarded.tolist())
    assert sorted(divided.chunks.items.tolist()) == list(range(500))
    for number in range(len(divided)):
        held = divided.chunks[number].tolist()
        assert held == sorted(held)
        assert set(GUARDED[held].tolist()) <= {divided.guarded[number]}


def test_the_vectors_are_those_of_the_chunks_in_their_order(divided: Regions) -> None:
    assert divided.vectors.tolist() == vectors_of(500)[divided.chunks.items].tolist()


def test_the_region_of_a_centre_is_the_nearest_to_it(divided: Regions) -> None:
    for number in range(len(divided)):
        order = divided.nearest_first(divided.centres[number]).tolist()
        assert order[0] == number
        assert sorted(order) == list(range(len(divided)))
        alone = divided.nearest_first(divided.centres[number], guarded_too=False).tolist()
        assert alone == [each for each in order if not divided.guarded[each]]


def test_regions_are_found_again_as_they_were_saved(divided: Regions, tmp_path: Path) -> None:
    save_arrays(tmp_path / "regions", divided)
    result = load_arrays(tmp_path / "regions", Regions)
    assert result.centres.tobytes() == divided.centres.tobytes()
    assert result.guarded.tolist() == divided.guarded.tolist()
    assert result.chunks.starts.tolist() == divided.chunks.starts.tolist()
    assert result.chunks.items.tolist() == divided.chunks.items.tolist()
    assert result.vectors.tobytes() == divided.vectors.tobytes()


def test_a_small_library_is_not_divided(tmp_path: Path) -> None:
    small = Regions.build(vectors_of(500), GUARDED)
    save_arrays(tmp_path, small)
    assert len(small) == len(load_arrays(tmp_path, Regions)) == 0
    assert load_arrays(tmp_path, Regions).centres.shape == (0, 16)


def test_centres_of_other_regions_are_refused(divided: Regions, tmp_path: Path) -> None:
    save_arrays(tmp_path, divided)
    save_array(tmp_path / "centres.npy", divided.centres[1:])
    with pytest.raises(
        IndexCorruptError, match=r"25 regions of 500 chunks, and centres, kinds and vectors of the shapes \(24, 16\)"
    ):
        load_arrays(tmp_path, Regions)
