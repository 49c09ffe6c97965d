"""What comes from a country or continent, where the word is not made of the country's name: Dutch, British."""

from collections.abc import Iterator, Mapping

_FROM: Mapping[str, str] = {
    "African": "Africa",
    "American": "United States|United States of America|USA|US|America|Americas|The Americas",
    "Asian": "Asia",
    "British": "United Kingdom|Great Britain|Britain|UK",
    "Danish": "Denmark",
    "Dutch": "Netherlands|The Netherlands|Holland",
    "English": "England",
    "European": "Europe",
    "Filipino": "Philippines",
    "Finnish": "Finland",
    "French": "France",
    "German": "Germany",
    "Greek": "Greece",
    "Irish": "Ireland",
    "Korean": "South Korea|Korea",
    "Norwegian": "Norway",
    "Polish": "Poland",
    "Scottish": "Scotland",
    "Spanish": "Spain",
    "Swedish": "Sweden",
    "Swiss": "Switzerland",
    "Turkish": "Turkey|Türkiye",
    "Welsh": "Wales",
    "Emirati": "United Arab Emirates",
}
"""By the adjective: the names of the country. The vectors of words find the others, as Brazilian of Brazil."""


def of_people(value: str) -> Iterator[str]:
    """Other words for a country or for what comes from it: `Dutch` for Netherlands, `Netherlands` for Dutch."""
    for adjective, names in _FROM.items():
        countries = names.split("|")
        if value in countries:
            yield adjective
            yield from (each for each in countries if each != value)
        if value == adjective:
            yield from countries
