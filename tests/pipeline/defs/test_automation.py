"""What follows what when the UI's automation is switched on."""

import dagster as dg
import pytest

from pipeline.definitions import load

# Dagster's own evaluation of conditions uses a parameter that Dagster calls beta.
pytestmark = pytest.mark.filterwarnings("ignore::dagster_shared.utils.warnings.BetaWarning")

BOOK = ("books", "tables", "table_rows", "predicates", "chunks", "embeddings")


def report(instance: dg.DagsterInstance, name: str, partition: str | None = None) -> None:
    instance.report_runless_asset_event(dg.AssetMaterialization(name, partition=partition))


def test_the_library_follows_its_books_and_the_scores_follow_the_library() -> None:
    definitions = load()
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("books", ["tiny"])
        cursor = None

        def requested() -> set[str]:
            nonlocal cursor
            result = dg.evaluate_automation_conditions(defs=definitions, instance=instance, cursor=cursor)
            cursor = result.cursor
            return {
                name
                for name in ("lexical", "graph", "candidate_index", "evaluation", "leaderboard", "live_index")
                if result.get_num_requested(dg.AssetKey(name))
            }

        requested()
        for name in BOOK:
            report(instance, name, "tiny")
        assert requested() >= {"lexical", "graph"}
        report(instance, "lexical")
        report(instance, "graph")
        report(instance, "candidate_index")
        assert "evaluation" in requested()
        assert requested() == set(), "nothing is asked for twice"
