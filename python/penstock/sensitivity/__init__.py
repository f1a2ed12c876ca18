"""Sensitivity: Morris screening and Sobol indices over ranges of a study's parameters."""

from penstock.sensitivity.indices import Design
from penstock.sensitivity.result import Analysis, Sampling, SensitivityResult

__all__ = ["Analysis", "Design", "Sampling", "SensitivityResult"]
