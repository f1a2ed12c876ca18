"""A local page with sliders for a scenario's parameters and results that follow them (``penstock lab``)."""
