"""Networks that studies of traffic management are often set in, on top of :class:`~penstock.network.Network`.

Each function adds nodes and links to a network and returns where traffic begins and ends. What the bottlenecks are
like (rate, delay, queue, meters) is given as for :meth:`penstock.network.Network.link`; where nothing else is said, all
other links are too fast to matter. ``penstock new FILE --topology NAME`` writes most of them as pages.
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
