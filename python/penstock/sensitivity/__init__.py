"""Sensitivity: Morris screening and Sobol indices over ranges of a study's parameters."""
