"""Signed links hold what they point to, and nobody can make one up."""

from uuid import uuid4

from veraz.search.links import QuoteLinks

LINKS = QuoteLinks("a secret of this installation", "https://veraz.example/")
TENANT, DOCUMENT = uuid4(), uuid4()


def token(links: QuoteLinks = LINKS, text: str = "Son 30 euros.") -> str:
    return links.url(TENANT, DOCUMENT, 36, 49, text).removeprefix("https://veraz.example/s/")


def test_a_link_gives_back_what_it_was_made_of_and_knows_its_words() -> None:
    link = LINKS.read(token())
    assert link is not None
    assert (link.tenant_id, link.document_id, link.start, link.end) == (TENANT, DOCUMENT, 36, 49)
    assert link.says("Son 30\neuros.") and not link.says("Son 45 euros.")
    assert token() == token(), "the same quotation always has the same link"


def test_no_other_installation_and_no_changed_sign_is_believed() -> None:
    made = token()
    assert QuoteLinks("another secret", "https://veraz.example").read(made) is None
    for place in range(len(made)):
        other = "A" if made[place] != "A" else "B"
        forged = LINKS.read(made[:place] + other + made[place + 1 :])
        assert forged is None or forged == LINKS.read(made), "unused bits at the end say nothing else"
    for nonsense in ("", "=", "ñ", "a" * 500, made[:-1], made + "A", "\0"):
        assert LINKS.read(nonsense) is None
