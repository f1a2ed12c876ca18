// TCP over a dumbbell: 40 access nodes a side, one bottleneck, NewReno with an ACK for every packet.
//
// With --bulk=1 40 transfers over 10 Gb/s and a round trip of 1 ms, otherwise a thousand over 1 Gb/s and 50 ms.
#include "tcp.h"

constexpr uint32_t NODES = 40;

int main(int argc, char* argv[])
{
    bool bulk = false;
    auto settings = read(argc, argv, "bulk", &bulk);
    const uint32_t flows = bulk ? 40 : 1000;
    const double rtt = bulk ? 1e-3 : 50e-3;
    const std::string access = bulk ? "40Gbps" : "10Gbps";
    configure_tcp(256, MilliSeconds(200));

    NodeContainer sources(NODES), sinks(NODES), routers(2);
    stack(NodeContainer(sources, sinks, routers));
    auto left = routers.Get(0);
    auto right = routers.Get(1);
    auto middle = wire(left, right, bulk ? "10Gbps" : "1Gbps", Seconds(0.48 * rtt), bulk ? 832 : 4165, settings);
    default_route(left, middle.addresses.GetAddress(1), middle.devices.Get(0));
    default_route(right, middle.addresses.GetAddress(0), middle.devices.Get(1));
    std::vector<Ipv4Address> receivers;
    for (uint32_t i = 0; i < NODES; ++i)
    {
        auto near = wire(sources.Get(i), left, access, Seconds(0.01 * rtt), 99999, settings);
        default_route(sources.Get(i), near.addresses.GetAddress(1), near.devices.Get(0));
        auto far = wire(right, sinks.Get(i), access, Seconds(0.01 * rtt), 99999, settings);
        default_route(sinks.Get(i), far.addresses.GetAddress(0), far.devices.Get(1));
        receivers.push_back(far.addresses.GetAddress(1));
        listen(sinks.Get(i));
    }
    for (uint32_t i = 0; i < flows; ++i)
    {
        auto to = InetSocketAddress(receivers[i % NODES], 9);
        Simulator::Schedule(draw(bulk ? 0.1 : 1.0), &begin, sources.Get(i % NODES), to);
    }

    run(settings, bulk ? 2 : 10);
    tcp_result(settings);
}
