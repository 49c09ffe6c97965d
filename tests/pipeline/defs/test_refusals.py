"""Sensors and nights over a scored library, ticked by Dagster itself: what the gate promotes, and refuses once."""

import shutil
from collections.abc import Sequence
from dataclasses import replace

import dagster as dg
import pytest

from pipeline.report.report import report_of
from retrieval.home import Home
from tests.pipeline.defs.deployment import Deployment

# Dagster's own daemons use what Dagster calls beta and deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


QUESTION = '{"id": "%s", "query": "What does a %s cost?", "book": "%s", "gold": [{"snippet": "| %s | %s |"}]}\n'
ABOUT = {
    slug: QUESTION % (slug, f"long {weapon}", slug, f"Long {weapon}", "1d8 | 15 gp")
    for slug, weapon in (("alpha", "dagger"), ("beta", "sword"))
}


def ask(deployment: "Deployment", *questions: str) -> None:
    """Let the library be scored with these questions."""
    path = deployment.home.library.parent / "questions.jsonl"
    path.write_text("".join(questions))
    replace(deployment.home.settings, questions=(path,)).write(deployment.home.root)


STALE = "evaluability 0.500 of set questions, split people, is below 0.950: gold is stale (beta)"


def refusals(deployment: "Deployment", runs: Sequence[dg.DagsterRun]) -> list[str]:
    """What stopped each run that failed, without the anchors."""
    failed = [run for run in runs if not run.is_success]
    return [sentence.partition("; ")[0] for run in failed for sentence in deployment.failures([run])]


def test_a_refused_night_fails_once_with_the_sentence_of_its_check(built_deployment: "Deployment") -> None:
    deployment, live = built_deployment, built_deployment.live
    ask(deployment, *ABOUT.values())
    deployment.launch("go_live")
    deployment.change("beta", "| Long sword | 1d8 | 15 gp |\n", "")
    deployment.start("nightly_embedding")
    *books, library = deployment.night()
    assert all(run.is_success for run in books)
    (sentence,) = deployment.failures([library])
    assert sentence.startswith(f"{STALE}; ")
    assert sentence.endswith("questions.jsonl: beta: snippet '| Long sword | 1d8 | 15 gp |' is found nowhere")
    again = {dg.DagsterEventType.STEP_UP_FOR_RETRY, dg.DagsterEventType.STEP_RESTARTED}
    assert not deployment.instance.all_logs(library.run_id, of_type=again)
    deployment.start("new_or_changed_books", "live_follows_books")
    assert deployment.settle() == [], "no sensor tries what the night was refused"
    assert deployment.live == live


def test_an_emptied_document_goes_live_once_its_owner_accepts_it_and_not_before(built_deployment: "Deployment") -> None:
    deployment, live = built_deployment, built_deployment.live
    deployment.start("new_or_changed_books", "live_follows_books")
    (deployment.home.library / "alpha" / "01.md").write_text(" \n")
    (sentence,) = refusals(deployment, deployment.settle())
    assert "does not go live: every_document_has_text: alpha/01.md is empty" in sentence
    assert deployment.live == live

    deployment.launch("promote", config={"live_index": {"accept": "the chapter moved to beta"}})
    assert deployment.in_step()
    assert deployment.books_live() == {"beta", "gamma"}


def test_a_document_that_never_had_text_goes_live_unasked(built_deployment: "Deployment") -> None:
    deployment, live = built_deployment, built_deployment.live
    deployment.start("new_or_changed_books", "live_follows_books")
    (deployment.home.library / "alpha" / "index.md").write_text("")
    deployment.change("gamma", "2 gp", "3 gp")
    deployment.settle()
    assert deployment.live != live


OTHER_PRICES = """# Prices

| Weapon | Cost |
|---|---|
| dagger | 3 gp |
| Long dagger | 16 gp |
| Heavy dagger | 9 gp |
"""


def test_a_forced_promotion_is_told_with_what_it_broke_after_a_harmless_edit_too(built_deployment):
    deployment, first = built_deployment, built_deployment.live
    weapons = {"dagger": "1d4 | 2 gp", "Long dagger": "1d8 | 15 gp", "Heavy dagger": "1d6 | 8 gp"}
    ask(deployment, *(QUESTION % (name, name, "alpha", name, cells) for name, cells in weapons.items()))
    deployment.launch("go_live")
    (deployment.home.library / "alpha" / "02.md").write_text(OTHER_PRICES)
    deployment.new_runs()
    deployment.launch("build_library", dagster__partition="alpha")
    (sentence,) = refusals(deployment, deployment.new_runs())
    assert sentence.startswith("default: mrr is below that of live, people: -0.500")
    deployment.launch("promote", config={"live_index": {"force": "the prices of both editions"}})
    forced = deployment.live
    deployment.change("gamma", "2 gp", "3 gp")
    deployment.launch("build_library", dagster__partition="gamma")
    assert deployment.in_step()

    attempts = report_of(Home.at(deployment.home.root)).history.attempts
    assert [(each.snapshot, each.state, each.why) for each in attempts] == [
        (first, "promoted", "build"),
        (forced, "forced", "the prices of both editions"),
        (deployment.live, "promoted", "build"),
    ]
    assert [[(moved.row.question_id, moved.before, moved.after) for moved in each.broken] for each in attempts] == [
        [],
        [(name, 1, 2) for name in weapons],
        [],
    ]
    assert [number.value for each in attempts if each.scored for number in each.scored.books] == [1.0, 0.5, 0.5]


@pytest.mark.slow
def test_a_removed_row_and_a_deleted_book_are_refused_once_until_nobody_asks_for_them(built_deployment):
    deployment, live = built_deployment, built_deployment.live
    ask(deployment, *ABOUT.values())
    deployment.launch("go_live")
    deployment.start("new_or_changed_books", "live_follows_books")
    deployment.new_runs()

    # The row that a question asks for is removed.
    deployment.change("beta", "| Long sword | 1d8 | 15 gp |\n", "")
    assert refusals(deployment, deployment.settle()) == [STALE]
    assert deployment.live == live

    # A book goes while another one changes; the library is indexed before the sensor sees that the book is indexed.
    shutil.rmtree(deployment.home.library / "beta")
    deployment.change("alpha", "2 gp", "3 gp")
    deployment.new_runs()
    deployment.tick_sensors()
    for _ in range(4):
        deployment.tick_automation()
    deployment.settle()
    assert refusals(deployment, deployment.new_runs()) == [STALE], "tried once"
    assert deployment.live == live

    # Nobody asks for the lost book any more.
    ask(deployment, ABOUT["alpha"])
    assert refusals(deployment, deployment.settle()) == []
    assert deployment.in_step()
    assert deployment.books_live() == {"alpha", "gamma"}
    assert "3 gp" in deployment.text_live()
