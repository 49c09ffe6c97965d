"""Sentences of a passage of prose."""

import numpy as np
import pytest

from retrieval.rag.sentences import NAMES, SentenceChoice, split_sentences

TEXT = """### Marsh Ghoul

It hates light. It fears fire!
It sleeps
by day.

**Habits**

- Eats at dusk
- Drinks 2.50 pints. Never more.

```sh
ghoul --feed now
```

[Table: MOD, SAVE]
Last words.
"""


def test_sentences_are_whole_without_headings_code_and_tables() -> None:
    texts = [sentence.text for sentence in split_sentences(TEXT)]
    assert texts == [
        *("It hates light.", "It fears fire!", "It sleeps by day.", "Eats at dusk"),
        *("Drinks 2.50 pints.", "Never more.", "Last words."),
    ]


@pytest.mark.parametrize(
    "sentences",
    [
        ("Перезапуск нужен всегда.", "Иначе порт занят."),
        ("Le port est pris.", "Évitez-le."),
        ("备份每天两点开始。", "只有管理员可以恢复备份。"),
    ],
)
def test_sentences_of_other_languages_are_told_apart(sentences: tuple[str, str]) -> None:
    between = "" if sentences[0].endswith("。") else " "
    assert tuple(sentence.text for sentence in split_sentences(between.join(sentences))) == sentences


def test_a_sentence_knows_its_heading_and_what_stands_before_it() -> None:
    by_text = {sentence.text: sentence for sentence in split_sentences(TEXT)}
    assert (by_text["It hates light."].heading, by_text["It hates light."].before) == ("Marsh Ghoul", "")
    assert (by_text["Eats at dusk"].heading, by_text["Eats at dusk"].before) == ("Habits", "")
    assert by_text["Never more."].before == "Drinks 2.50 pints."


@pytest.mark.parametrize(
    "text",
    [
        '=== "Nursing Notes"\n\n    Use an 18G needle.',
        '!!! note "Nursing Notes"\n    Use an 18G needle.',
        ":::tip Nursing Notes\nUse an 18G needle.\n:::",
        "__Nursing Notes__\n\n> [!NOTE]\n> Use an 18G needle.",
    ],
)
def test_the_mark_of_a_box_is_no_sentence_and_its_title_is_a_heading(text: str) -> None:
    assert [(sentence.text, sentence.heading) for sentence in split_sentences(text)] == [
        ("Use an 18G needle.", "Nursing Notes")
    ]


def test_a_bold_name_with_an_underscore_is_a_heading() -> None:
    (sentence,) = split_sentences("**MAX_SIZE**\n\nThe size at which a log is cut.")
    assert sentence.heading == "MAX_SIZE"


def test_a_question_and_a_repeated_heading_answer_nothing_but_stand_before_what_does() -> None:
    faq = "**What does it eat?**\nWhat is the diet of a ghoul? Barley only.\n\n### Light\n\nLight\n\nIt hates *light*."
    sentences = split_sentences(faq)
    assert [(sentence.text, sentence.before) for sentence in sentences] == [
        ("Barley only.", "What is the diet of a ghoul?"),
        ("It hates *light*.", "Light"),
    ]


def test_a_meaning_below_a_heading_is_stated_without_its_mark() -> None:
    texts = [sentence.text for sentence in split_sentences("#### PORT\n\n: Where it listens.\n\n: Default: 80")]
    assert texts == ["Where it listens.", "Default: 80"]


@pytest.mark.parametrize(
    ("below", "introduced"),
    [
        ("```sql\nALTER TABLE *;\n```\n\nThen wait.", "`ALTER TABLE *;`"),
        ("~~~\n# on\n\nwait\n~~~", "`# on` `wait`"),
        ("- worker\n- self-employed\n\nAnd more.", "worker; self-employed"),
        ("```\na\nb\nc\nd\n```", ""),
        (f"- {'a word ' * 40}", ""),
        ("> Of somebody else.", ""),
        ("And more.", ""),
    ],
)
def test_a_sentence_with_a_colon_is_stated_with_the_code_or_list_that_it_introduces(
    below: str, introduced: str
) -> None:
    sentence = split_sentences(f"**Note:** These are kinds:\n\n{below}")[0]
    assert (sentence.text, sentence.introduced) == ("**Note:** These are kinds:", introduced)
    assert sentence.whole_text == f"**Note:** These are kinds: {introduced}".rstrip()


def test_only_the_end_of_a_paragraph_introduces_what_is_below_it() -> None:
    first, second = split_sentences("Modes:<br>slow and fast\n\n- Ports: 80\n- Hosts")[:2]
    assert (first.introduced, second.introduced) == ("", "")


def test_an_item_introduces_only_the_items_below_it() -> None:
    first = split_sentences("- Modes:\n  - slow\n  - fast\n- Ports: 80")[0]
    assert first.introduced == "slow; fast"


def test_a_numbered_list_is_a_procedure_also_if_every_number_is_one() -> None:
    text = (
        "1. Open the lid.\n1. Fill it. Wait.\n\n   ```\n   fill\n   ```\n\n1. Close it.\n\nOr:\n\n2. Go on.\n\n1. Ask."
    )
    procedures = [(sentence.text, sentence.procedure) for sentence in split_sentences(f"{text}\n\n# Then\n\n1. Stop.")]
    opening = [("Open the lid.", 1), ("Fill it.", 1), ("Wait.", 1), ("Close it.", 1), ("Or:", 0)]
    assert procedures == [*opening, ("Go on.", 1), ("Ask.", 2), ("Stop.", 3)]


def test_a_long_numbered_list_is_introduced_and_its_steps_are_its_own() -> None:
    steps = [f"{number}. Step {'and ' * 20}so on:" for number in (1, 2, 3)]
    nested = "   1. First this.\n   2. Then that."
    opening, first, *_ = split_sentences("\n".join(["To do it:", "", *steps, nested]))
    assert "First this." in split_sentences(f"To do it:\n\n1. Press:\n{nested}")[0].introduced
    assert (len(opening.introduced) > 250, first.introduced) == (True, "")


def test_a_step_is_stated_with_its_whole_procedure_unless_that_is_long() -> None:
    def stated(text: str, likeliest: int) -> list[str]:
        sentences = split_sentences(text)
        chances = np.full(len(sentences), 0.1)
        chances[likeliest] = 0.5
        choice = SentenceChoice(sentences, np.zeros((len(sentences), len(NAMES))), chances)
        return [cell.text for cell in choice.cells("id")]

    text = "To reset it:\n\n1. Open the lid.\n2. Fill it. Wait.\n\nThen it starts."
    assert stated(text, 2) == ["Open the lid. Fill it. Wait."]
    assert stated(text, 4) == ["Then it starts."]
    assert stated(f"1. Press {'and press ' * 70}it.\n2. Wait.", 1) == ["Wait."]


def test_a_question_for_a_number_gets_a_sentence_with_one() -> None:
    sentences = split_sentences("The lid is heavy. It opens slowly. It weighs 5 kg.")
    features = np.zeros((3, len(NAMES)))
    chances = np.asarray([0.6, 0.3, 0.1])
    with_number = np.zeros((3, len(NAMES)))
    with_number[2, NAMES.index("number")] = 1.0
    assert [cell.place for cell in SentenceChoice(sentences, features, chances).cells("id")] == [0, 1]
    assert [cell.place for cell in SentenceChoice(sentences, with_number, chances).cells("id")] == [0, 2]
    assert [cell.place for cell in SentenceChoice(sentences, with_number, chances).cells("id", 1)] == [0]


def test_text_without_words_has_no_sentence() -> None:
    assert split_sentences("") == split_sentences("---\n\n***\n") == ()
