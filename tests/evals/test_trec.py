import ir_measures
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import nDCG

from evals.errors import RunFileError
from evals.metrics import judge, ndcg
from evals.trec import Scored, read_qrels, read_run, trec_order, write_qrels, write_run

RANKING = st.dictionaries(st.sampled_from([f"d{n}" for n in range(20)]), st.floats(-1e6, 1e6, width=32), max_size=20)


def scored(**scores):
    return tuple(Scored(name, score) for name, score in scores.items())


def test_a_run_is_read_back(tmp_path):
    run = {"q1": scored(d3=2.5, d1=0.25), "q2": scored(d1=-1.0)}
    write_run(tmp_path / "r.run", run, "dense")
    assert read_run(tmp_path / "r.run") == run
    assert (tmp_path / "r.run").read_text().splitlines()[0] == "q1 Q0 d3 1 2.5 dense"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RANKING, st.sets(st.sampled_from([f"d{n}" for n in range(20)]), min_size=1))
def test_trec_eval_sees_our_order_although_it_settles_ties_the_other_way(tmp_path, scores, gold):
    ours = sorted(scores, key=lambda name: (-scores[name], name))
    write_run(tmp_path / "r.run", {"q": [Scored(name, scores[name]) for name in ours]}, "t")
    write_qrels(tmp_path / "r.qrels", {"q": sorted(gold)})
    assert [each.chunk_id for each in read_run(tmp_path / "r.run").get("q", ())] == ours
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "r.qrels")))
    run = list(ir_measures.read_trec_run(str(tmp_path / "r.run"))) or {"other": {"d0": 1.0}}
    (theirs,) = [each.value for each in ir_measures.iter_calc([nDCG @ 10], qrels, run) if each.query_id == "q"]
    assert ndcg(10)(judge(ours, gold)) == pytest.approx(theirs, abs=1e-9)


def test_trec_order_is_score_then_the_larger_id():
    assert trec_order({"a": 1, "b": 1, "c": 2}) == ("c", "b", "a")


def test_a_files_ranks_are_not_believed(tmp_path):
    (tmp_path / "r.run").write_text("q Q0 d1 1 0.5 t\n\nq Q0 d2 2 0.9 t\n")
    assert read_run(tmp_path / "r.run") == {"q": scored(d2=0.9, d1=0.5)}


def test_qrels_are_read_back(tmp_path):
    write_qrels(tmp_path / "q", {"q1": ["a", "b"], "q2": ["a"]})
    assert read_qrels(tmp_path / "q") == {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q Q0 d1 1 0.5\n", ":1: 5 fields, not 6"),
        ("q Q0 d1 1 high t\n", ":1: score 'high'"),
        ("q Q0 d1 1 0.5 t\nq Q0 d1 2 0.4 t\n", ":2: question 'q' ranks chunk 'd1' twice"),
    ],
)
def test_a_broken_run_is_refused_with_its_line(tmp_path, text, message):
    (tmp_path / "r.run").write_text(text)
    with pytest.raises(RunFileError, match=message):
        read_run(tmp_path / "r.run")


def test_broken_qrels_are_refused_with_their_line(tmp_path):
    (tmp_path / "q").write_text("q 0 d yes\n")
    with pytest.raises(RunFileError, match=":1: relevance 'yes'"):
        read_qrels(tmp_path / "q")


def test_ids_that_a_line_cannot_hold_are_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(RunFileError, match="'my run'"):
        write_run(tmp_path / "r", {"q": scored(d=1.0)}, "my run")
    with pytest.raises(RunFileError, match="''"):
        write_qrels(tmp_path / "r", {"q": [""]})
    with pytest.raises(RunFileError, match="ranks a chunk twice"):
        write_run(tmp_path / "r", {"q": [*scored(d=1.0), *scored(d=0.5)]}, "t")
    assert list(tmp_path.iterdir()) == []
