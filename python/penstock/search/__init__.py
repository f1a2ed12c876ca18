"""Search for the best setting within ranges of a study's parameters, with its uncertainty."""
