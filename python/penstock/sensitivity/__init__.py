"""Sensitivity: Morris screening and Sobol indices over ranges of a study's parameters."""

from penstock.sensitivity.indices import Design
from penstock.sensitivity.result import Analysis, SensitivityResult, analyse

__all__ = ["Analysis", "Design", "SensitivityResult", "analyse"]
