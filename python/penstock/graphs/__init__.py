"""Networks from graphs of others: objects of networkx, and files in the formats of graphs and of other simulators.

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
jitter      ``jitter``                              as for delays, with the same endings of names: the delay is uniform
                                                    from delay - jitter to delay + jitter, and packets keep their order
loss        ``loss``, ``packet_loss``, ``plr``      a text such as ``0.1 %``; a number, if `loss_unit` tells its unit
loss        the same and ``_percent``, ``_pct``,    a number
            ``_probability``
==========  ======================================  ================================================================

With `delay_per_km`, edges without a delay get one from the latitude and longitude of their nodes. Edges of undirected
graphs become links both ways, parallel edges links of their own. Edges of directed graphs become links one way; edges
without one back get a warning, or with `both_ways` a way back. Edges from a node to itself and other attributes of
nodes and edges are left out. Everything that is changed or left out is reported.

==============================  ===========================  =========================================================
format                          file                         contents read
==============================  ===========================  =========================================================
GraphML, GML, DOT               ``.graphml``, ``.xml``,      attributes as above
                                ``.gml``, ``.dot``, ``.gv``
SNDlib                          ``.xml``                     places, and pre-installed capacities or only modules, in
                                                             `rate_unit`; no demands
HPCC's simulator                ``topology.txt``             rate, delay and error rate
Rocketfuel                      ``weights.intra``,           weights, or latencies in milliseconds; one way each
                                ``latencies.intra``
htsim                           ``.topo``                    nothing: the message has the command that generates it
==============================  ===========================  =========================================================
"""

from penstock.graphs.convert import GraphNetwork, from_networkx
from penstock.graphs.files import from_file

__all__ = ["GraphNetwork", "from_file", "from_networkx"]
