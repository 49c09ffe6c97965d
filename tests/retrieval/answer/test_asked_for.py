from retrieval.answer.asked_for import asked_for, is_short
from retrieval.index.words.tokenizer import tokens


def test_the_words_of_a_question_tell_what_it_wants() -> None:
    assert asked_for("how many rounds?", tokens).number
    assert asked_for("when was it built?", tokens).date
    assert asked_for("which year was it built?", tokens).date
    assert asked_for("who wrote it?", tokens).person
    assert asked_for("where is it kept?", tokens).place
    assert asked_for("what does it mean?", tokens).explanation


def test_what_is_measured_goes_by_unit_and_by_head() -> None:
    wants = asked_for("how heavy is it?", tokens)
    assert wants.fits("kilogram")
    assert not wants.fits("second")
    assert wants.measured_by("Wgt")
    assert not wants.measured_by("Cost")
    assert asked_for("what does it cost?", tokens).fits("credit")


def test_the_words_after_which_are_kept() -> None:
    assert "port" in asked_for("which port does it leave from", tokens).after


def test_short_forms_keep_their_ends_or_their_beginning() -> None:
    assert is_short("wgt", "weight")
    assert is_short("atmos", "atmosphere")
    assert not is_short("wgt", "weigh")
    assert not is_short("no", "not")
