"""Search for the best setting within ranges of a study's parameters, with its uncertainty."""

from penstock.search.making import search
from penstock.search.question import Question
from penstock.search.result import Finalist, SearchResult, Trial

__all__ = ["Finalist", "Question", "SearchResult", "Trial", "search"]
