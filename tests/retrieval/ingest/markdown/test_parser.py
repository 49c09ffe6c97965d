from retrieval.ingest.markdown.parser import split_row


def test_a_row_keeps_escaped_pipes_empty_cells_and_what_is_too_much():
    assert [cell.strip() for cell in split_row(r"| a | b\|c |  | d |")] == ["a", "b|c", "", "d"]
    assert [cell.strip() for cell in split_row("a|b")] == ["a", "b"]
