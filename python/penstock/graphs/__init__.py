"""Networks from graphs of others: objects of networkx, and files in the formats of graphs and of other simulators.

Nodes and edges become nodes and links. The attributes of edges describe the links:

==========  ======================================  ================================================================
what        attributes                              values
==========  ======================================  ================================================================
rate        ``rate``, ``bandwidth``, ``capacity``   a text with a unit, such as ``10 Gbit/s`` or ``10Gbps``; a number,
                                                    if `rate_unit` tells its unit
rate        these names and an ending: ``_bps``,    a number, as in ``bandwidth_mbps``; also the Topology Zoo's
            ``_kbps``, ``_mbps``, ``_gbps``,        ``LinkSpeedRaw``, in bit/s
            ``_tbps``
delay       ``delay``, ``latency``                  a text with a unit, such as ``5 ms``; a number, if `delay_unit`
                                                    tells its unit
delay       these names and an ending: ``_s``,      a number
            ``_ms``, ``_us``, ``_ns``
weight      ``weight``, ``cost``                    a number above zero; rounded to thousandths
jitter      ``jitter``                              as for delays, with the same endings of names: the delay is uniform
                                                    from delay - jitter to delay + jitter, and packets keep their order
loss        ``loss``, ``packet_loss``, ``plr``      a text such as ``0.1 %``; a number, if `loss_unit` tells its unit
loss        these names and an ending:              a number
            ``_percent``, ``_pct``,
            ``_probability``
==========  ======================================  ================================================================

With `delay_per_km`, edges without a delay get one from the latitude and longitude of their nodes. Edges of undirected
graphs become links both ways, parallel edges links of their own. Edges of directed graphs become links one way. If
there is no edge in the other direction, there is a warning or, with `both_ways`, a link back. Edges from a node to
itself and other attributes of nodes and edges are left out. Everything that is changed or left out is reported.

==============================  ===========================  =========================================================
format                          file                         contents read
==============================  ===========================  =========================================================
GraphML, GML, DOT               ``.graphml``, ``.xml``,      attributes as above
                                ``.gml``, ``.dot``, ``.gv``
SNDlib                          ``.xml``                     places; pre-installed capacities, or else that of the
                                                             only module, in `rate_unit`; the demands are left out
HPCC's simulator                ``topology.txt``             rate, delay and error rate; routing becomes ``"ecmp"``
Rocketfuel                      ``weights.intra``,           weights, or latencies in milliseconds; one way each
                                ``latencies.intra``
htsim                           ``.topo``                    nothing: the message has the command that generates it
==============================  ===========================  =========================================================
"""

from penstock.graphs.convert import GraphNetwork, from_networkx
from penstock.graphs.files import from_file

__all__ = ["GraphNetwork", "from_file", "from_networkx"]
