from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import IndexCorruptError
from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.files.arrays import save_array
from retrieval.index import regions
from retrieval.index.regions import Regions, around_centres, divided
from retrieval.types import Vector
from tests.retrieval.index.conftest import vectors_of

GUARDED = np.arange(500) % 3 == 0


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Regions:
    monkeypatch.setattr(regions, "UNDIVIDED", 100)
    monkeypatch.setattr(regions, "SIZE", 16)
    return Regions.build(vectors_of(500), GUARDED)


def test_every_chunk_is_in_one_region_and_they_rise_in_it(made: Regions) -> None:
    assert 500 / 32 < len(made) < 500 / 8
    assert made.guarded.tolist() == sorted(made.guarded.tolist())
    assert sorted(made.chunks.items.tolist()) == list(range(500))
    for number in range(len(made)):
        held = made.chunks[number].tolist()
        assert held == sorted(held)
        assert set(GUARDED[held].tolist()) <= {made.guarded[number]}


def test_the_vectors_are_those_of_the_chunks_in_their_order(made: Regions) -> None:
    assert made.vectors.tolist() == vectors_of(500)[made.chunks.items].tolist()


def test_the_region_of_a_centre_is_the_nearest_to_it(made: Regions) -> None:
    for number in range(len(made)):
        order = made.nearest_first(made.centres[number]).tolist()
        assert order[0] == number
        assert sorted(order) == list(range(len(made)))
        alone = made.nearest_first(made.centres[number], guarded_too=False).tolist()
        assert alone == [each for each in order if not made.guarded[each]]


def test_a_small_library_is_not_divided(tmp_path: Path) -> None:
    small = Regions.build(vectors_of(500), GUARDED)
    save_arrays(tmp_path, small)
    assert len(small) == len(load_arrays(tmp_path, Regions)) == 0
    assert load_arrays(tmp_path, Regions).centres.shape == (0, 16)


def test_centres_of_other_regions_are_refused(made: Regions, tmp_path: Path) -> None:
    save_arrays(tmp_path, made)
    save_array(tmp_path / "centres.npy", made.centres[1:])
    with pytest.raises(
        IndexCorruptError, match=r"25 regions of 500 chunks, and centres, kinds and vectors of the shapes \(24, 16\)"
    ):
        load_arrays(tmp_path, Regions)


def crowd(count: int, seed: int = 0) -> Vector:
    """Vectors around eight directions."""
    random = np.random.default_rng(seed)
    around = random.normal(size=(8, 16))[random.integers(0, 8, count)]
    matrix = (around + random.normal(scale=0.2, size=(count, 16))).astype(np.float32)
    normalised: Vector = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return normalised


@pytest.mark.parametrize("n_regions", [1, 7, 400])
def test_every_vector_is_in_the_region_whose_centre_is_nearest(n_regions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "_BLOCK", 64)  # the last block is not full
    vectors = crowd(400)
    centres, region = around_centres(vectors, n_regions, 0)
    assert centres.shape == (n_regions, 16)
    assert np.allclose(np.linalg.norm(centres, axis=1), 1.0, atol=1e-5)
    nearness = vectors @ centres.T
    assert np.allclose(nearness[np.arange(400), region], nearness.max(axis=1), atol=1e-6)


def test_a_crowd_is_divided_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nearly all vectors are in one of eight directions, so that the first division leaves large regions.
    vectors = np.concatenate([crowd(2000), crowd(2000)[:1].repeat(8, axis=0)])
    _, coarse = around_centres(vectors, len(vectors) // 40, 0)
    centres, region = divided(vectors, 20)
    sizes = np.bincount(region, minlength=len(centres))
    assert sizes.sum() == len(vectors)
    assert np.bincount(coarse).max() > 2 * 40 > sizes.max()
    assert (vectors * centres[region]).sum() > (
        vectors * around_centres(vectors, len(vectors) // 40, 0)[0][coarse]
    ).sum()


def test_the_same_vectors_are_divided_the_same_way_and_another_seed_divides_them_otherwise() -> None:
    (one, of_one), (other, of_other) = divided(crowd(900), 40), divided(crowd(900), 40)
    assert one.tobytes() == other.tobytes()
    assert of_one.tolist() == of_other.tolist()
    assert divided(crowd(900), 40, seed=1)[1].tolist() != of_one.tolist()


def test_centres_come_to_lie_where_the_vectors_are() -> None:
    vectors = crowd(800)
    centres, region = around_centres(vectors, 8, 0)
    begun = vectors[np.sort(np.random.default_rng(0).choice(800, 8, replace=False))]
    assert (vectors * centres[region]).sum() > (vectors @ begun.T).max(axis=1).sum()


def test_equal_and_opposite_vectors_are_divided_too() -> None:
    same = np.tile(crowd(1), (50, 1))
    centres, region = around_centres(same, 5, 0)
    assert set(region.tolist()) == {0}, "of equally near centres the first"
    assert np.isfinite(centres).all()
    opposite = np.concatenate([same, -same])
    centres, region = around_centres(opposite, 1, 0)
    assert np.allclose(np.linalg.norm(centres, axis=1), 1.0, atol=1e-5)
    assert set(region.tolist()) == {0}
