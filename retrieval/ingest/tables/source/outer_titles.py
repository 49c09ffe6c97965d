"""Titles over titles: `**Sail**` over `**Costs**`, where another table of the section is called `Costs` too."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.tables.source.captions import Caption, caption_of, is_bold_line

_Captions = Mapping[int, Caption | None]


def with_outer_titles(blocks: Sequence[Block], captions: _Captions) -> dict[int, Caption | None]:
    """The captions by the block of their table; those that tables of one section share each say the title above too.

    It is the nearest bold line above that the section has only once. Nothing changes where two of the tables stand
    below the same one, or any but the first below none.
    """
    alike = defaultdict(list)
    for place, caption in captions.items():
        if caption and not caption.introduces:
            alike[blocks[place].heading_path, caption.words.casefold()].append(place)
    found, twins = dict(captions), [places for places in alike.values() if len(places) > 1]
    titles = _titles(blocks) if twins else {}
    for places in twins:
        outer = {place: _above(blocks, titles, place) for place in places}
        if len(set(outer.values())) < len(places) or not all(outer[each] for each in places[1:]):
            continue
        for place, title in outer.items():
            caption = captions[place]
            if caption and title:
                found[place] = replace(caption, words=f"{title}: {caption.words}")
    return found


def _titles(blocks: Sequence[Block]) -> Mapping[int, str]:
    """The words of every bold line that its section has only once, by block."""
    lines = {place: caption_of(block.shown) or "" for place, block in enumerate(blocks) if is_bold_line(block)}
    times = Counter((blocks[place].heading_path, words.casefold()) for place, words in lines.items())
    return {place: words for place, words in lines.items() if times[blocks[place].heading_path, words.casefold()] == 1}


def _above(blocks: Sequence[Block], titles: Mapping[int, str], table: int) -> str:
    section = blocks[table].heading_path
    above = (place for place in range(table - 1, -1, -1) if place in titles and blocks[place].heading_path == section)
    return titles.get(next(above, -1), "")
