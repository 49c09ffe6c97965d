"""Chroma collections that somebody else filled, as a person asks them: real rows of three chapters."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

QUESTION = "What does a 7th level cleric need to roll to hit AC 6?"
HOUSE = '[labels.ac]\nforms = ["defence"]\n'


@pytest.fixture
def run(sample_collections: Path, run: Callable[..., tuple[int, str, str]]) -> Callable[..., tuple[int, str, str]]:
    def runner(*arguments: object, chroma: object = sample_collections) -> tuple[int, str, str]:
        return run("collections", *arguments, "--chroma", chroma)

    return runner


def test_collections_are_listed_with_what_they_hold(run) -> None:
    status, out, _ = run("list")
    assert status == 0
    assert re.fullmatch(
        r"combat: (\d+) records, (\d+) guarded, 384 dimensions\n"
        r"monsters: \d+ records, \d+ guarded, 384 dimensions\n"
        r"psionics: \d+ records, \d+ guarded, 384 dimensions\n",
        out,
    )
    combat = json.loads(run("list", "--json")[1])[0]
    assert combat["records"] > combat["guarded"] > 4 * 21
    assert combat["dimensions"] == 384


def test_all_collections_answer_together_and_each_hit_says_where_it_is_from(run) -> None:
    status, out, _ = run("search", QUESTION, "--k", 40, "--max-iterations", 9)
    assert status == 0
    assert [line.split(".")[0].strip() for line in out.splitlines()[::3]] == [str(rank) for rank in range(1, 41)]
    assert {line.split(":")[0].strip() for line in out.splitlines()[1::3]} > {"combat"}
    (row,) = re.findall(r"^ *\d+\. \d\.\d{4}  I\.A\. .* 6$", out, re.MULTILINE)
    assert row
    assert all(letter.isprintable() for letter in out.replace("\n", ""))


def test_only_the_named_collections_are_asked(run) -> None:
    hits = json.loads(run("search", QUESTION, "--collection", "monsters", "--collection", "psionics", "--json")[1])
    assert {hit["collection"] for hit in hits["hits"]} == {"monsters", "psionics"}
    assert set(hits["readings"]) == {"monsters", "psionics"}
    assert hits["receipt"]["stopped"] == "Target k reached"
    assert hits["hits"] == sorted(hits["hits"], key=lambda hit: hit["distance"])


def test_a_collection_reads_the_question_in_a_vocabulary_of_its_own(run, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text(HOUSE)
    question = "What does a 7th level cleric need to roll to hit defence 6?"

    def rows(*named: str) -> list[str]:
        given = [word for name in named for word in ("--collection", name)]
        load = json.loads(run("search", question, "--k", 30, "--max-iterations", 9, "--json", *given)[1])["hits"]
        return [hit["title"] for hit in load if "contain_one_of" in (hit["query_must"] or "")]

    assert rows("combat", "monsters") == []
    assert rows("combat", f"monsters={house}") == []
    (title,) = rows(f"combat={house}", "monsters")
    assert (title.split(" ")[0], title.split(" ")[-1]) == ("I.A.", "6")


def test_debug_prints_the_rounds_after_the_hits(run) -> None:
    status, out, _ = run("search", QUESTION, "--collection", "combat", "--max-iterations", 1, "--debug")
    assert status == 0
    after = out[out.index("[Question]") :]
    assert re.search(r"^  ❌ EXCLUDE: I\.A\. Attack Matrix for Clerics, Druids and Monks - .*\b7$", after, re.MULTILINE)
    assert re.search(r"^\[Iteration 1\] Iteration limit reached \(\d+ chunks\)$", after, re.MULTILINE)
    assert re.search(r"^\[TIME\] collections .*, total \d+\.\d ms$", after, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--collection", "combats"],
            "no collection is called 'combats'; did you mean 'combat'? available: combat, monsters, psionics",
        ),
        (["--collection", "combat=no-such.toml"], "no-such.toml cannot be read as a vocabulary"),
        (["--collection", "combat", "--collection", "combat"], "--collection names 'combat' twice"),
        (["--embedder", "wordlama"], "no embedder is called 'wordlama'"),
        (["--noisy-weight", "0"], "noisy_weight is 0.0"),
    ],
)
def test_what_can_be_fixed_is_one_clear_line(run, words: list[str], said: str) -> None:
    status, out, err = run("search", QUESTION, *words)
    assert (status, out) == (2, "")
    assert said in err
    assert err.startswith("error: ")


def test_a_place_without_chroma_is_one_clear_line(run, tmp_path: Path) -> None:
    for command in (["list"], ["search", QUESTION]):
        status, _, err = run(*command, chroma=tmp_path)
        assert status == 2
        assert "holds no chroma.sqlite3" in err
