import numpy as np
import pytest

from retrieval.index import regions
from retrieval.index.regions import around_centres, divided
from retrieval.types import Vector


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
