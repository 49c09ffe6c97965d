"""What documents, and the things that they are about one by one, are called in any collection."""

DOCUMENTS = frozenset(
    """
    document doc file article paper post report record entry proposal memo message email ticket publication
    guide manual note story item one piece work dish object result case sample example specimen product
    listing book novel volume edition copy text page essay poem letter film movie picture photo photograph
    image painting drawing print map chart song album track recording episode series programme program show
    play video podcast game recipe study trial experiment survey project course lecture talk lesson seminar
    workshop event meeting incident accident issue bug task request complaint claim application order invoice
    contract tender permit licence patent standard regulation law bill act judgment judgement ruling decision
    verdict opinion job position role vacancy opening posting advert ad offer property flat house artefact
    artifact exhibit review thread question answer advisory alert release thing stuff
    """.split()  # noqa: SIM905
)
"""Keys of words."""
