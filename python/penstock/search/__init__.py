"""Search for the best setting within ranges of a study's parameters, with its uncertainty."""

from __future__ import annotations

from penstock.search.data import Finalist, Trial
from penstock.search.making import search
from penstock.search.question import Question
from penstock.search.result import SearchResult

__all__ = ["Finalist", "Question", "SearchResult", "Trial", "search"]
