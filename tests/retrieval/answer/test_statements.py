from retrieval.answer.statements import labelled_values, sentences

BLOCK = """### Marsh Ghoul

**AC** 12 **Initiative** +2
**HP** 22 (5d8)

- Speed: 30 ft.

It hates light. It fears fire!

[Table: MOD, SAVE]
"""


def test_labelled_values_are_read_in_their_order() -> None:
    assert labelled_values(BLOCK) == (
        ("AC", "12"),
        ("Initiative", "+2"),
        ("HP", "22 (5d8)"),
        ("Speed", "30 ft."),
    )


def test_a_bold_beginning_of_a_paragraph_is_no_label() -> None:
    assert labelled_values("**Falling.** " + "A fall hurts those who fall. " * 10) == ()


def test_sentences_are_whole_and_headings_none() -> None:
    found = sentences(BLOCK)
    assert "It hates light." in found
    assert "It fears fire!" in found
    assert not any("Marsh Ghoul" in each or "Table:" in each for each in found)


def test_a_number_with_a_point_ends_no_sentence() -> None:
    assert sentences("It costs 2.50 gold. Pay at once.") == ("It costs 2.50 gold.", "Pay at once.")
