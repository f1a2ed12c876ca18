"""``penstock explain``: pages on components, metrics, topics, documents, claims and readings."""

import sys
from typing import Annotated

from penstock.cli import options
from penstock.cli.console import emit, say, show
from penstock.cli.verb import argument, option
from penstock.explained import differences, explained_by, known, profile_page
from penstock.printable import json_text, printable_lines


def explain(
    name: Annotated[
        str,
        argument(
            "NAME",
            "A component (red), kind (discipline), metric, topic (sweep), document (af), claim (af-c03) or reading "
            "(af-a07); synonyms (pfc) work too, and a component of your own (my_queues.py:Red).",
            known,
        ),
    ],
    profile: Annotated[
        str | None,
        option(
            "--profile PROFILE", "Show how a profile of a component, such as linux-6 of tcp, differs from its defaults."
        ),
    ] = None,
    output: options.Output = "table",
) -> None:
    """Explain a component, metric, topic, study or claim.

    Also explains the open questions of a study, with the readings that answer them.
    """
    if profile is not None:
        found, heading = [profile_page(name, profile)], ""
        if output == "json":
            emit(json_text({"name": name, "profile": profile, "settings": differences(name, profile)}))
            return
    else:
        found, heading = explained_by(name)
    if heading:
        say(heading)
    if output == "json":
        emit(json_text({"name": name, "pages": found}))
        return
    if not sys.stdout.isatty():
        emit("\n".join(found))
        return
    from rich.markdown import Markdown

    # Links of a stranger's document would be sequences that act on the terminal.
    show(*(Markdown(printable_lines(page), hyperlinks=False) for page in found))
