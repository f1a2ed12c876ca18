// Periodic sources over one link: 160 bytes each 20 ms at random phases, tail drop of 1,000 packets.
#include "lean.h"

int main(int argc, char* argv[])
{
    auto settings = read(argc, argv);
    NodeContainer nodes(2);
    stack(nodes);
    auto link = wire(nodes.Get(0), nodes.Get(1), "128Mbps", MilliSeconds(10), 999, settings);
    periodic_sink(nodes.Get(1));
    periodic_flows(nodes.Get(0), link.addresses.GetAddress(1), 1000, 160, 0.02);
    run_periodic(settings, 60, [](uint32_t) { return 132; });
}
