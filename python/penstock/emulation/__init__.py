"""Real packets through a simulated network, on Linux.

:mod:`~penstock.emulation.opened` replaces the flows between real nodes by packets from outside,
:mod:`~penstock.emulation.namespaces` makes the real nodes, :mod:`~penstock.emulation.programs` runs programs there, and
:mod:`~penstock.emulation.making` puts these together.
"""
