"""Published studies, run again from their own descriptions and compared with their printed numbers.

``names`` lists them, and ``explain`` tells about one of them, a claim or an open question.
"""

from penstock.reproductions.loading import names

__all__ = ["example_reading", "explain", "item_names", "names", "summaries"]


def summaries() -> dict[str, str]:
    """What each study is about, by its name."""
    from penstock.reproductions.loading import load

    return {name: load(name).document.summary for name in names()}


def item_names() -> list[str]:
    """The claims and open questions of all studies, by their ids."""
    from penstock.reproductions.loading import load

    documents = [load(name).document for name in names()]
    claims = [claim.id for document in documents for claim in document.claims]
    return claims + [question.id for document in documents for question in document.questions]


def example_reading(doc: str, question: str) -> str:
    """An answer that may be given: to `question` if there is such a question, else to the first of the study.

    Raises InputError if the study has no open question.
    """
    from penstock.reproductions.document import unknown
    from penstock.reproductions.loading import load

    document = load(doc).document
    questions = document.questions
    if not questions:
        raise unknown("reading", question, (), f"in {document.id}")
    asked = next((own for own in questions if own.id == question), questions[0])
    return f"{asked.id}={(asked.alternatives or asked.options)[0].key}"


def explain(name: str, *, formulas: bool = False) -> str | None:
    """A page in Markdown about a study, a claim or an open question; None if `name` is none of them.

    Dollar signs around formulas stay where `formulas` is set, for pages that typeset them.
    """
    from penstock.reproductions import pages

    return pages.explain(name, formulas=formulas)
