"""What generated questions are worded like: for every sort of question the orders in which people say its parts.

None has a verb that must agree with a column or a name (`what is the values`): their number is not known.
"""

LOOKUPS = (
    "{ask} {column} for {key} in {subject}?",
    "{ask} {column} of {key}, {subject}?",
    "{subject}: {column} for {key}",
    "{subject}, {key}: {column}",
    "{key}, {subject}, {column}",
    "{key} {column} {subject}",
    "{column} of {key} ({subject})",
    "{column} for {key}, {subject}",
    "{key} in {subject}: {column}?",
    "{subject} {key} {column}",
    "In {subject}, look up {key} and tell me the {column}.",
    "{subject}, {column}, {key}?",
)
"""`ask` is `what is the` or the like, as the column needs it."""
RECORD_LOOKUPS = (
    "{ask} {column} of {key}?",
    "{key} {column}",
    "Tell me the {column} given for {key}.",
    "{column}, {key}",
    "{key}: {column}?",
    "{key}, its {column}",
)
ABOUT = (
    "{question} in {subject}?",
    "{subject}: {question}",
    "{question} ({subject})",
    "{question}, {subject}?",
)
ABOUT_ALONE = ("{question}?", "{question}")
"""Around the questions of `asking`, which do not say their column."""
FIELD_LOOKUPS = (
    "{ask} {field} of {owner}?",
    "{owner} {field}",
    "Tell me the {field} given for {owner}.",
    "{field}, {owner}",
    "{owner}: {field}?",
)
"""For tables of fields: a row is a field, and what owns it is the table or one of its columns."""
ROW = (
    "{subject} {key}",
    "{key} in {subject}?",
    "{subject}, {key}",
    "what does {subject} say about {key}",
)
"""Nothing is said of a column; whoever reads the row finds it."""
WHICH = (
    "Which {name} has {other} in {subject}?",
    "{subject}: {name} with {other}",
    "{name} with {other}, {subject}",
    "{other}, {subject}: which {name}?",
)
"""The row is named by another cell than its key, and the key is asked for."""
WHICH_ALONE = (
    "Which {name} has {other}?",
    "{name} with {other}",
    "{other}: which {name}?",
)
BY_OTHER = (
    "{column} of the {name} with {other}, {subject}",
    "{subject}, {other}: {column}",
    "{subject}: {column} where there is {other}",
    "{ask} {column} of the {name} that has {other} in {subject}?",
)
"""The row is named by another cell than its key, and a third one is asked for."""
BY_OTHER_ALONE = (
    "{column} of the {name} with {other}",
    "{other}: {column}",
    "{ask} {column} of the {name} that has {other}?",
)
"""`ALONE`: where row and column say enough, and nobody names the table."""
SECTIONS = (
    "What do the rules say about {subject}?",
    "Explain {subject}.",
    "Where can I read about {subject}?",
    "tell me about {subject}",
    "{subject}, how does it work",
)
SECTION_PARTS = (
    "What is said about {terms} under {subject}?",
    "{subject}, {terms}",
    "Which part of {subject} is about {terms}?",
    "{terms}: {subject}",
)
PASSAGES = (
    "{terms}",
    "{terms}?",
    "what about {terms}",
    "where is it said: {terms}",
)
"""By words of the text."""
