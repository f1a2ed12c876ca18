"""Networks from graphs of others: objects of networkx, and files in GraphML, GML and DOT.

Nodes and edges become nodes and links; what edges are like, their attributes say:

==========  ======================================  ================================================================
what        attributes                              values
==========  ======================================  ================================================================
rate        ``rate``, ``bandwidth``, ``capacity``   a text with a unit, such as ``10 Gbit/s`` or ``10Gbps``; a number,
                                                    if `rate_unit` tells its unit
rate        the same and ``_bps``, ``_kbps``,       a number; so in ``bandwidth_mbps``, and in the Topology Zoo's
            ``_mbps``, ``_gbps``, ``_tbps``         ``LinkSpeedRaw``, which is in bit/s
delay       ``delay``, ``latency``                  a text with a unit, such as ``5 ms``; a number, if `delay_unit`
                                                    tells its unit
delay       the same and ``_s``, ``_ms``, ``_us``,  a number
            ``_ns``
weight      ``weight``, ``cost``                    a number above zero; rounded to thousandths
==========  ======================================  ================================================================

Other attributes mean nothing here. Edges of undirected graphs become links both ways. Edges from a node to itself are
left out. All that is changed or left out is said.
"""

from penstock.graphs.convert import GraphNetwork, from_networkx
from penstock.graphs.files import from_file

__all__ = ["GraphNetwork", "from_file", "from_networkx"]
