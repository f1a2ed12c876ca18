"""Studies: the points of a scenario, their runs, and their results."""
