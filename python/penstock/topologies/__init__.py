"""Networks that studies of traffic management often use, built on :class:`~penstock.network.Network`.

Each function adds nodes and links to a network and returns the ends of the traffic. The bottlenecks are described as
for :meth:`penstock.network.Network.link`; by default, all other links are too fast to matter. ``penstock new FILE
--topology NAME`` writes most of them as scenarios.
"""

from penstock.topologies.data_centre import FatTree, LeafSpine, fat_tree, leaf_spine
from penstock.topologies.small import Dumbbell, Path, Star, dumbbell, fan_in, parking_lot, single_link, star
from penstock.topologies.waxman import Waxman, waxman

__all__ = [
    "Dumbbell",
    "FatTree",
    "LeafSpine",
    "Path",
    "Star",
    "Waxman",
    "dumbbell",
    "fan_in",
    "fat_tree",
    "leaf_spine",
    "parking_lot",
    "single_link",
    "star",
    "waxman",
]
