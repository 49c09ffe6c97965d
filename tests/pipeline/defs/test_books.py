"""What is on disk beside what was made of it."""

from collections.abc import Sequence

import dagster as dg
import pytest

from pipeline.defs.books import BOOK_FOLDERS, new_observations, partition_keys
from retrieval.errors import LibraryError
from retrieval.ingest.library.library import list_books
from tests.pipeline.defs.deployment import Deployment


def test_slugs_are_keys_in_their_order() -> None:
    assert partition_keys(["srd-5.2.1", "osric"]) == ["srd-5.2.1", "osric"]


@pytest.mark.parametrize("key", ["a/b", "../up", "a,b", "a b", "a\n", "", "-a", "A"])
def test_a_key_that_could_leave_its_folder_is_refused(key: str) -> None:
    with pytest.raises(LibraryError, match="cannot be a book's key"):
        partition_keys([key])


pytestmark = pytest.mark.filterwarnings("ignore")  # Dagster's own daemons use what Dagster calls beta and deprecated.

STALE = """
query($key: AssetKeyInput!, $partition: String!) {
  assetNodeOrError(assetKey: $key) { ... on AssetNode { staleStatus(partition: $partition) } }
}
"""


def status(deployment: "Deployment", slug: str) -> str:
    answer = deployment.ask(STALE, {"key": {"path": ["books"]}, "partition": slug})
    return str(answer["staleStatus"])


def observed(found: Sequence[dg.AssetObservation]) -> list[tuple[str, str | None]]:
    return [(each.asset_key.to_user_string(), each.partition) for each in found]


def test_a_changed_folder_leaves_its_book_behind_until_it_is_read_again(built_deployment: "Deployment") -> None:
    deployment = built_deployment
    assert {status(deployment, slug) for slug in ("alpha", "beta")} == {"FRESH"}
    deployment.change("beta", "15 gp", "61 gp")
    deployment.launch(assets=["book_folders"])
    deployment.launch(assets=["question_files"])
    assert (status(deployment, "alpha"), status(deployment, "beta")) == ("FRESH", "STALE")
    deployment.launch("index_book", dagster__partition="beta")
    assert status(deployment, "beta") == "FRESH"


def test_the_sensor_observes_what_it_acts_on(built_deployment: "Deployment") -> None:
    deployment = built_deployment
    deployment.start("new_or_changed_books")
    deployment.change("beta", "15 gp", "62 gp")
    deployment.tick_sensors()
    result = {folder.slug: folder.digest for folder in list_books(deployment.home.library)}
    record = deployment.instance.get_latest_data_version_record(
        dg.AssetKey(BOOK_FOLDERS), is_source=True, partition_key="beta"
    )
    assert record.asset_observation is not None
    assert record.asset_observation.tags["dagster/data_version"] == result["beta"]
    assert status(deployment, "beta") == "FRESH", "its run came after the observation"


def test_what_was_observed_is_not_reported_again(built_deployment: "Deployment") -> None:
    deployment = built_deployment
    digests = {folder.slug: folder.digest for folder in list_books(deployment.home.library)}
    assert new_observations(deployment.instance, deployment.home, digests) == ()
    changed = new_observations(deployment.instance, deployment.home, digests | {"beta": "other"})
    assert observed(changed) == [(BOOK_FOLDERS, "beta")]
