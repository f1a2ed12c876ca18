// Transfers without end over a network of 1 Gb/s and 1 us a link that --network gives: SACK with an ACK for every packet, queues of
// 100 packets.
//
// Every flow has the route and start from the file: each switch stores the next link by source and destination, an entry a flow.
#include "../network.h"
#include "tcp.h"

#include <unordered_map>

// Forwards by a table; a host sends everything over its only link and keeps what arrives.
class Table : public Ipv4RoutingProtocol
{
  public:
    void add(Ipv4Address from, Ipv4Address to, Ptr<Ipv4Route> route) { m_routes[key(from, to)] = route; }

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet>, const Ipv4Header&, Ptr<NetDevice>, Socket::SocketErrno& error) override
    {
        error = Socket::ERROR_NOTERROR;
        return m_routes.begin()->second;
    }

    bool RouteInput(Ptr<const Packet> packet, const Ipv4Header& header, Ptr<const NetDevice> device, UnicastForwardCallback forward,
                    MulticastForwardCallback, LocalDeliverCallback deliver, ErrorCallback) override
    {
        auto found = m_routes.find(key(header.GetSource(), header.GetDestination()));
        if (found == m_routes.end())
        {
            deliver(packet, header, m_ip->GetInterfaceForDevice(device));
        }
        else
        {
            forward(found->second, packet, header);
        }
        return true;
    }

    void NotifyInterfaceUp(uint32_t) override {}
    void NotifyInterfaceDown(uint32_t) override {}
    void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void SetIpv4(Ptr<Ipv4> ip) override { m_ip = ip; }
    void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override {}

  private:
    static uint64_t key(Ipv4Address from, Ipv4Address to) { return uint64_t{from.Get()} << 32 | to.Get(); }

    Ptr<Ipv4> m_ip;
    std::unordered_map<uint64_t, Ptr<Ipv4Route>> m_routes;
};

struct TableHelper : Ipv4RoutingHelper
{
    TableHelper* Copy() const override { return new TableHelper(*this); }
    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node>) const override { return ns3::Create<Table>(); }
};

// One direction of a wire: the device at which it begins, and the routing of that node.
struct End
{
    Ptr<Table> table;
    Ptr<Ipv4Route> route;
};

static End end(const Wire& wire, uint32_t side)
{
    auto device = wire.devices.Get(side);
    auto route = Create<Ipv4Route>();
    route->SetOutputDevice(device);
    route->SetSource(wire.addresses.GetAddress(side));
    route->SetGateway(wire.addresses.GetAddress(1 - side));
    return {DynamicCast<Table>(device->GetNode()->GetObject<Ipv4>()->GetRoutingProtocol()), route};
}

int main(int argc, char* argv[])
{
    std::string path;
    auto settings = read(argc, argv, "network", &path);
    const auto network = read_network(path);
    configure_tcp(1000, MilliSeconds(5), true);
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(MilliSeconds(5)));

    uint32_t count = 0;
    for (auto [from, to] : network.links)
    {
        count = std::max({count, from + 1, to + 1});
    }
    NodeContainer nodes(count);
    InternetStackHelper internet;
    internet.SetRoutingHelper(TableHelper());
    internet.SetIpv6StackInstall(false);
    internet.Install(nodes);

    std::map<std::pair<uint32_t, uint32_t>, End> ends;
    std::vector<End> links;
    for (auto link : network.links)
    {
        auto [from, to] = link;
        if (ends.count(link) == 0)
        {
            auto both = wire(nodes.Get(from), nodes.Get(to), "1Gbps", MicroSeconds(1), 99, settings);
            ends[{from, to}] = end(both, 0);
            ends[{to, from}] = end(both, 1);
        }
        links.push_back(ends[link]);
    }

    std::set<uint32_t> listening;
    for (const auto& flow : network.flows)
    {
        auto from = links[flow.there.front()].route->GetSource();
        auto to = links[flow.back.front()].route->GetSource();
        for (auto link : flow.there)
        {
            links[link].table->add(from, to, links[link].route);
        }
        for (auto link : flow.back)
        {
            links[link].table->add(to, from, links[link].route);
        }
        if (listening.insert(network.destination(flow)).second)
        {
            listen(nodes.Get(network.destination(flow)));
        }
        Simulator::Schedule(PicoSeconds(flow.start), &begin, nodes.Get(network.source(flow)), InetSocketAddress(to, 9));
    }
    run(settings, 0.1);
    tcp_result(settings);
}
