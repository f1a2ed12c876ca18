"""Sensitivity: Morris screening and Sobol indices over ranges of a study's parameters."""

from __future__ import annotations

from penstock.sensitivity.design import Design
from penstock.sensitivity.making import analyse
from penstock.sensitivity.result import Analysis, SensitivityResult

__all__ = ["Analysis", "Design", "SensitivityResult", "analyse"]
