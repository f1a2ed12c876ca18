// Five links in a row: periodic flows through all of them and as many over each one, tail drop of 1,000 packets.
#include "lean.h"

int main(int argc, char* argv[])
{
    auto settings = read(argc, argv);
    NodeContainer nodes(6);
    stack(nodes);
    std::vector<Wire> links;
    for (uint32_t i = 0; i < 5; ++i)
    {
        auto link = wire(nodes.Get(i), nodes.Get(i + 1), "128Mbps", MilliSeconds(1), 999, settings);
        default_route(nodes.Get(i), link.addresses.GetAddress(1), link.devices.Get(0));
        periodic_sink(nodes.Get(i + 1));
        links.push_back(link);
    }
    periodic_flows(nodes.Get(0), links[4].addresses.GetAddress(1), 500, 160, 0.02);
    for (uint32_t i = 0; i < 5; ++i)
    {
        periodic_flows(nodes.Get(i), links[i].addresses.GetAddress(1), 500, 160, 0.02);
    }
    run_periodic(settings, 20, [](uint32_t) { return 132; });
}
