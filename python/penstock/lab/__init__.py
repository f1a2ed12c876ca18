"""A local page with sliders for a scenario's parameters and results that follow them (``penstock lab``).

:mod:`~penstock.lab.parameters` derives the controls from a scenario, :mod:`~penstock.lab.look` makes the runs of one
setting, and :mod:`~penstock.lab.server` holds the file and the running looks, and answers the page.
"""
