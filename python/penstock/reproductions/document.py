"""A published document as data: its settings, tables, claims, open questions, and how closely to compare.

The data are in a TOML file in the study's folder, each item with its place in the document (``where``). A document
leaves things unsaid: each of them is a :class:`Question` with the answers that are possible.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Any, Self, TypeVar

from penstock.errors import InputError
from penstock.printable import command_text, quoted, suggestion
from penstock.reproductions.nulls import Null
from penstock.reproductions.tables import Column, Row, Table, Tolerance
from penstock.studies.file import flat
from penstock.studies.toml_text import Mistakes, Place, path_of

_Named = TypeVar("_Named", Table, "Claim", "Question")
_Item = TypeVar("_Item", Table, Column, Tolerance, Null, "Question")

TESTING = ("what", "holds", "any", "like", "needs", "also", "show", "evidence", "remark")
"""Keys of a claim that state its test: what is compared, in which direction, by which margin, and its text."""


@dataclass(frozen=True)
class Claim:
    """What a document says that its numbers show.

    `test` is how it is tested here, in words; `stated` is the same as data (:mod:`penstock.reproductions.statements`).
    `test_changed` says, if another test was made first, how that one missed the sentence.
    """

    id: str
    where: str
    kind: str
    basis: str
    claim: str
    test: str
    tables: tuple[str, ...]
    printed_support: str
    note: str = ""
    test_changed: str = ""
    stated: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Option:
    """A possible answer: its key, what it means, and the settings that it gives the study."""

    key: str
    text: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """Something that a document leaves open; the texts come from the document's data file."""

    id: str
    where: str
    kind: str
    impact: str
    question: str
    evidence: str
    options: tuple[Option, ...]  # the possible answers; a single one if nothing else can be run
    chosen: str  # key of the answer that is used unless another is asked for
    reason: str  # why that one
    fitted: str = ""  # not empty if the chosen answer was found by fitting the printed numbers: what was fitted to what
    printed: str = ""
    """Key of the answer that is the document's own, where it is not the chosen one or the chosen one is fitted; if the
    document is silent, an answer that nothing was fitted for."""
    words: str = ""  # where the document says so, and what; empty if it is silent

    def option(self, key: str) -> Option:
        """The answer with this key; an :class:`~penstock.errors.InputError` if there is none."""
        for option in self.options:
            if option.key == key:
                return option
        raise unknown("answer", key, (option.key for option in self.options), f"to {self.id}")

    @property
    def alternatives(self) -> tuple[Option, ...]:
        """The answers that are not chosen."""
        return tuple(option for option in self.options if option.key != self.chosen)

    @property
    def as_printed(self) -> str:
        """Key of the answer that the text as it is printed gives, or that nothing was fitted for."""
        return self.printed or self.chosen

    @property
    def against_the_text(self) -> bool:
        """Whether the chosen answer contradicts what the document says."""
        return bool(self.words) and self.as_printed != self.chosen


@dataclass(frozen=True)
class Contradiction:
    """Two answers, each as (question, key), that cannot hold together, and why."""

    one: tuple[str, str]
    other: tuple[str, str]
    reason: str


def contradictory(contradictions: Iterable[Contradiction], keys: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield each contradiction between these answers: its index in ``contradictions``, and a message."""
    for number, pair in enumerate(contradictions):
        if all(keys.get(question) == key for question, key in (pair.one, pair.other)):
            yield number, f"{'='.join(pair.one)} and {'='.join(pair.other)} contradict each other: {pair.reason}"


@dataclass(frozen=True)
class Document:
    """A published document."""

    id: str  # what it is called here, such as `af`
    name: str
    title: str
    date: str
    authors: tuple[str, ...]  # as published
    summary: str  # what it is about, in a few words
    stated: Mapping[str, Any]  # the settings that it states, and those that every reading shares, under dotted names
    tables: tuple[Table, ...]  # its contents, in their order
    claims: tuple[Claim, ...]
    questions: tuple[Question, ...]
    tolerances: tuple[Tolerance, ...]
    nulls: tuple[Null, ...] = ()  # wrong models that the tolerances should tell from right ones
    quantities: tuple[tuple[str, ...], ...] = ()
    """Columns that hold the same quantity, so that the numbers of a row may be compared."""
    print_runs: int = 1  # how many runs a printed number is the mean of
    contradictions: tuple[Contradiction, ...] = ()  # answers that cannot hold together
    testing: Mapping[str, Any] = field(default_factory=dict)
    """What the tests of its claims share: ``evidence``, the usual text, and ``loops`` by name."""
    folder: Path | None = None  # where its file is, if it did not come with the package

    @property
    def called(self) -> str:
        """How a command names it: by its id, or by the path of its folder."""
        return self.id if self.folder is None else command_text([str(self.folder)])

    @property
    def issue(self) -> str:
        """Where and when it was published, as far as its file says."""
        return ", ".join(filter(None, (self.name, self.date)))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads a document's data file.

        Raises ValueError if the file contradicts itself; the files are ours, so this is a bug of ours.
        """
        return cls.of(tomllib.loads(text))

    @classmethod
    def of(cls, data: Mapping[str, Any], mistakes: Mistakes | None = None) -> Self:
        """A document from what its data file holds.

        `mistakes` receives what contradicts itself; without it, the first such place raises ValueError.
        """
        about = data["document"]
        document = cls(
            id=about["id"],
            name=about.get("name", about["id"]),
            title=about["title"],
            date=str(about.get("date", about.get("year", ""))),
            authors=tuple(about["authors"]),
            summary=about.get("summary", about["title"]),
            stated=flat(data.get("setup", {})) | flat(data.get("assumed", {})),
            tables=tuple(_table(table) for table in data.get("table", ())),
            claims=tuple(_claim(claim) for claim in data.get("claim", ())),
            questions=tuple(_question(item) for item in data.get("ambiguity", ())),
            tolerances=tuple(_item(Tolerance, item) for item in data.get("tolerance", ())),
            nulls=tuple(_null(item) for item in data.get("null", ())),
            quantities=tuple(tuple(item["columns"]) for item in data.get("quantity", ())),
            print_runs=data.get("print", {}).get("runs", 1),
            contradictions=tuple(_contradiction(item) for item in data.get("contradiction", ())),
            testing=data.get("testing", {}),
        )
        found = Mistakes() if mistakes is None else mistakes
        document.check(found)
        if mistakes is None:
            for place, message in found.found.items():
                raise ValueError(f"{document.id}, {path_of(place)}: {message}")
        return document

    def check(self, mistakes: Mistakes) -> None:
        """Tells of what could not be run: unknown answers, settings that are given twice or not by all answers.

        Also tells of fitted answers without the document's own answer, and of answers that contradict a chosen one, as
        no other answer could then be tried alone.
        """
        owner: dict[str, str] = {}
        for number, question in enumerate(self.questions):
            place = ("ambiguity", number)
            _check_question(question, place, mistakes)
            for index, option in enumerate(question.options):
                for name in option.settings:
                    if name in self.stated or owner.get(name, question.id) != question.id:
                        what = f"{question.id}: {name} is given by {owner.get(name, 'the document')} too"
                        mistakes.add((*place, "options", index, "set", name), what)
                    owner.setdefault(name, question.id)
        for number, claim in enumerate(self.claims):
            self._check_tables(claim.tables, ("claim", number, "tables"), mistakes)
        for number, null in enumerate(self.nulls):
            self._check_tables(null.only, ("null", number, "only"), mistakes)
            self._check_tables((*null.tables, *null.tables.values()), ("null", number, "tables"), mistakes)
        for number, tolerance in enumerate(self.tolerances):
            self._check_tables(tolerance.tables, ("tolerance", number, "tables"), mistakes)
        for number, pair in enumerate(self.contradictions):
            answers = ("contradiction", number, "answers")
            for identifier, key in (pair.one, pair.other):
                try:
                    if self.question(identifier).option(key).key == self.question(identifier).chosen:
                        mistakes.add(answers, f"{identifier}={key} is chosen and said to contradict another answer")
                except InputError as error:
                    mistakes.add(answers, _said(error))
        printed = {question.id: question.as_printed for question in self.questions}
        for number, told in contradictory(self.contradictions, printed):
            mistakes.add(("contradiction", number), f"{told}; as printed, one of the two has to be another")

    def _check_tables(self, identifiers: Iterable[str], place: Place, mistakes: Mistakes) -> None:
        for identifier in identifiers:
            try:
                self.table(identifier)
            except InputError as error:
                mistakes.add(place, _said(error))

    def table(self, identifier: str) -> Table:
        """The table with this id; an :class:`~penstock.errors.InputError` if there is none."""
        return _find("table", identifier, self.tables, self.id)

    def claim(self, identifier: str) -> Claim:
        """The claim with this id; an :class:`~penstock.errors.InputError` if there is none."""
        return _find("claim", identifier, self.claims, self.id)

    def question(self, identifier: str) -> Question:
        """The open question with this id; an :class:`~penstock.errors.InputError` if there is none."""
        return _find("reading", identifier, self.questions, self.id)

    def chosen_tables(self, identifiers: Iterable[str]) -> list[Table]:
        """The named tables, or all that have results if none is named."""
        named = [self.table(identifier) for identifier in dict.fromkeys(identifiers)]
        return named or [table for table in self.tables if table.results()]

    @property
    def has_alternatives(self) -> bool:
        """Whether an open question has another answer than the chosen one."""
        return any(question.alternatives for question in self.questions)

    @property
    def has_print(self) -> bool:
        """Whether it prints any number to compare ours with."""
        return any(table.numbers() for table in self.tables)

    def tolerance(self, table: Table, row: Row, column: Column) -> Tolerance:
        """The agreed tolerance of a number: the last one that covers it, so special ones come after general ones."""
        for tolerance in reversed(self.tolerances):
            if tolerance.covers(table.id, row.key, column.name):
                return tolerance
        raise ValueError(f"{self.id}, table {table.id}, {row.name}: no tolerance for {column.name}")

    def allowed(self, table: Table, row: Row, column: Column) -> float:
        """How far from a printed number still agrees."""
        return self.tolerance(table, row, column).allows(float(row.values[column.name]))


def _check_question(question: Question, place: Place, mistakes: Mistakes) -> None:
    for key, answer in (("chosen", question.chosen), ("printed", question.as_printed)):
        try:
            question.option(answer)
        except InputError as error:
            mistakes.add((*place, key), _said(error))
            return
    names = set(question.option(question.chosen).settings)
    for number, option in enumerate(question.options):
        if set(option.settings) != names:
            what = f"{question.id}: the answers give different settings ({question.chosen}, {option.key})"
            mistakes.add((*place, "options", number), what)
    if question.fitted and not question.printed:
        what = f"{question.id}: is fitted, so `printed` has to say what the document has instead"
        mistakes.add((*place, "fitted"), what)


def _said(error: InputError) -> str:
    return str(error).rstrip(".")


def _find(kind: str, identifier: str, items: tuple[_Named, ...], document: str) -> _Named:
    for item in items:
        if item.id == identifier:
            return item
    raise unknown(kind, identifier, (item.id for item in items), f"in {document}")


def unknown(kind: str, given: str, allowed: Iterable[str], where: str = "") -> InputError:
    """The error for a name that does not exist: the given name, a close one, and all that are allowed.

    Examples
    --------
    >>> str(unknown("reading", "af-a7", ["af-a06", "af-a07"], "in af"))
    "no reading 'af-a7' in af; did you mean 'af-a07'? Its readings are af-a06 and af-a07."
    >>> str(unknown("table", "9", ["2", "3"], "in af")), str(unknown("study", "x", ["af"]))
    ("no table '9' in af; its tables are 2 and 3.", "no study 'x'; the only study is af.")
    """
    names = list(allowed)
    place = f" {where}" if where else ""
    owner = "its" if where else "the"
    if not names:
        known = "it has none." if where else "there is none."
    elif len(names) == 1:
        known = f"{owner} only {kind} is {names[0]}."
    else:
        many = f"{kind.removesuffix('y')}ies" if kind.endswith("y") else f"{kind}s"
        known = f"{owner} {many} are {', '.join(names[:-1])} and {names[-1]}."
    hint = suggestion(given, names)
    rest = f"{hint} {known[0].upper()}{known[1:]}" if hint else f"; {known}"
    return InputError(f"no {kind} {quoted(given)}{place}{rest}")


def _item(kind: type[_Item], data: Mapping[str, Any], **own: Any) -> _Item:
    """An item with the fields that its table in the file names, and those in `own`."""
    known = {name: data[name] for name in (each.name for each in fields(kind)) if name in data and name not in own}
    own |= {name: tuple(value) if isinstance(value, list) else value for name, value in known.items()}
    return kind(**own)


def _table(data: Mapping[str, Any]) -> Table:
    columns = tuple(_item(Column, column) for column in data["columns"])
    keys = [column.name for column in columns if column.role == "key"]
    rows = [
        Row({name: row[name] for name in keys}, {name: cell for name, cell in row.items() if name not in keys})
        for row in data.get("rows", ())
    ]
    # An own table may list the cells of each key; its rows are all combinations.
    rows += [
        Row(dict(zip(keys, cells, strict=True)), {})
        for grid in data.get("grids", ())
        for cells in product(*(grid[key] for key in keys))
    ]
    omitted = data.get("not-computed", {"rows": {}, "reason": ""})
    quoted = tuple(row for row in rows if omitted["reason"] and row.matches(omitted["rows"]))
    return _item(
        Table,
        data,
        columns=columns,
        rows=tuple(row for row in rows if row not in quoted),
        quoted=quoted,
        not_computed=omitted["reason"],
        is_own=data.get("own", False),
    )


def _claim(data: Mapping[str, Any]) -> Claim:
    stated = {name: data[name] for name in TESTING if name in data}
    others = {name: value for name, value in data.items() if name not in TESTING}
    return Claim(**{**others, "tables": tuple(data.get("tables", ())), "stated": stated})


def _question(data: Mapping[str, Any]) -> Question:
    options = (Option(option["key"], option["text"], option.get("set", {})) for option in data["options"])
    return _item(Question, data, options=tuple(options))


def _null(data: Mapping[str, Any]) -> Null:
    columns = data.get("columns", {})
    return _item(Null, data, columns=columns if isinstance(columns, dict) else {name: name for name in columns})


def _contradiction(data: Mapping[str, Any]) -> Contradiction:
    one, other = (tuple(answer.split("=", 1)) for answer in data["answers"])
    return Contradiction(one, other, data["reason"])
