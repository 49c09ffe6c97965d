from hypothesis import given
from hypothesis import strategies as st

from retrieval.language.lexer import lex
from retrieval.language.numbers import quantities
from retrieval.language.numbers.numerals import pieces_of
from retrieval.language.terms import tokens
from retrieval.language.tokens import tokenize
from retrieval.query_must import canonical

TEXTS = st.text(st.sampled_from("0123456789dDxXe.,:;/+-–_'’()%½²×$°ckvA第 \u00a0İß") | st.characters(), max_size=40)


@given(TEXTS)
def test_every_character_but_white_space_belongs_to_one_lexeme(text):
    end = 0
    for lexeme in lex(text):
        assert not text[end : lexeme.start].strip()
        assert lexeme.text == text[lexeme.start : lexeme.end] != ""
        end = lexeme.end
    assert not text[end:].strip()


@given(TEXTS)
def test_pieces_of_numbers_do_not_overlap_and_keep_their_position(text):
    end = 0
    for piece in pieces_of(text):
        assert end <= piece.start < piece.end
        assert piece.kind == "mark" or piece.text == text[piece.start : piece.end]
        end = piece.end


@given(TEXTS)
def test_every_text_has_tokens(text):
    assert all(token.text for token in tokenize(text))


def test_a_question_is_lexed_once_for_terms_predicates_and_numbers():
    question = "What does a 7th level cleric need to hit AC 6 on a d20 in 1d6+2 rounds?"
    for reader in (tokens, canonical, quantities):
        reader("level 3 of the vocabulary")
    before = lex.cache_info().misses

    tokens(question)
    canonical(question)
    quantities(question)

    assert lex.cache_info().misses == before + 1
