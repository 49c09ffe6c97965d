"""Files that trec_eval reads in our order."""

import ir_measures
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import nDCG

from evals.errors import RunFileError
from evals.metrics import judge, ndcg
from evals.trec_files import Scored, write_qrels, write_run

RANKING = st.dictionaries(st.sampled_from([f"d{n}" for n in range(20)]), st.floats(-1e6, 1e6, width=32), max_size=20)


def scored(**scores):
    return tuple(Scored(name, score) for name, score in scores.items())


def ranked(path, question):
    """Chunk ids as trec_eval reads them: score in single precision descending, then id descending."""
    scores = {
        each.doc_id: np.float32(each.score)
        for each in ir_measures.read_trec_run(str(path))
        if each.query_id == question
    }
    return sorted(scores, key=lambda name: (scores[name], name), reverse=True)


def test_a_run_and_its_qrels_are_lines_of_trec_eval(tmp_path):
    write_run(tmp_path / "r.run", {"q1": scored(d3=2.5, d1=0.25), "q2": scored(d1=-1.0)}, "dense")
    write_qrels(tmp_path / "q", {"q1": ["a", "b"], "q2": ["a"]})
    assert (tmp_path / "r.run").read_text() == "q1 Q0 d3 1 2.5 dense\nq1 Q0 d1 2 0.25 dense\nq2 Q0 d1 1 -1 dense\n"
    assert (tmp_path / "q").read_text() == "q1 0 a 1\nq1 0 b 1\nq2 0 a 1\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RANKING, st.sets(st.sampled_from([f"d{n}" for n in range(20)]), min_size=1))
def test_trec_eval_sees_our_order_although_it_settles_ties_the_other_way(tmp_path, scores, gold):
    ours = sorted(scores, key=lambda name: (-scores[name], name))
    write_run(tmp_path / "r.run", {"q": [Scored(name, scores[name]) for name in ours]}, "t")
    write_qrels(tmp_path / "r.qrels", {"q": sorted(gold)})
    assert ranked(tmp_path / "r.run", "q") == ours
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "r.qrels")))
    run = list(ir_measures.read_trec_run(str(tmp_path / "r.run"))) or {"other": {"d0": 1.0}}
    (theirs,) = [each.value for each in ir_measures.iter_calc([nDCG @ 10], qrels, run) if each.query_id == "q"]
    assert ndcg(10)(judge(ours, gold)) == pytest.approx(theirs, abs=1e-9)


def test_ids_that_a_line_cannot_hold_are_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(RunFileError, match="'my run'"):
        write_run(tmp_path / "r", {"q": scored(d=1.0)}, "my run")
    with pytest.raises(RunFileError, match="''"):
        write_qrels(tmp_path / "r", {"q": [""]})
    with pytest.raises(RunFileError, match="ranks a chunk twice"):
        write_run(tmp_path / "r", {"q": [*scored(d=1.0), *scored(d=0.5)]}, "t")
    assert list(tmp_path.iterdir()) == []
