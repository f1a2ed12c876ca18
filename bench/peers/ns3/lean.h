// Shared by the workloads: settings, links, periodic flows, counters without cost per packet, one line of results.
//
// A packet-hop is one packet, data or ACK, that has reached the far end of one link.
#pragma once

#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <functional>
#include <string>
#include <vector>

using namespace ns3;

// A link adds two bytes of PPP, and UDP and IP add 28, so 130 bytes of data are 160 on the wire.
constexpr uint32_t HEADERS = 30;

// The counts; `exact` counts every arrival at every link, which is never used while time is measured.
struct Counts
{
    uint64_t hops = 0;
    uint64_t drops = 0;
    std::vector<uint64_t> packets; // of each flow
};
inline Counts counts;

struct Settings
{
    double until = 0;
    bool exact = false;
    uint32_t seed = 1;
};

// Reads `--until=`, `--exact=`, `--seed=` and a setting of the program's own; ns-3 itself knows `--SchedulerType=`.
template <typename T = bool> Settings read(int argc, char* argv[], const std::string& name = "", T* given = nullptr)
{
    Settings settings;
    CommandLine command;
    command.AddValue("until", "seconds simulated; 0 is as long as the workload lasts", settings.until);
    command.AddValue("exact", "count every arrival at every link", settings.exact);
    command.AddValue("seed", "of the starting times", settings.seed);
    if (given != nullptr)
    {
        command.AddValue(name, "see the head of this program", *given);
    }
    command.Parse(argc, argv);
    RngSeedManager::SetSeed(settings.seed);
    Time::SetResolution(Time::PS);
    return settings;
}

// Runs for `lasts` seconds unless another time is given.
inline void run(Settings& settings, double lasts)
{
    settings.until = settings.until > 0 ? settings.until : lasts;
    Simulator::Stop(Seconds(settings.until));
    Simulator::Run();
}

// A number in [0, below).
inline Time draw(double below)
{
    static auto uniform = CreateObject<UniformRandomVariable>();
    return Seconds(uniform->GetValue(0, below));
}

// Nodes with static routes only, the leanest that IP can have.
inline void stack(const NodeContainer& nodes)
{
    InternetStackHelper internet;
    internet.SetRoutingHelper(Ipv4StaticRoutingHelper());
    internet.SetIpv6StackInstall(false);
    internet.Install(nodes);
}

// Both directions between two nodes; each holds this number of packets in addition to the one on the wire. Unless the
// device tells the layers above when it is full (`controlled`), its own queue is the only one.
struct Wire
{
    NetDeviceContainer devices;
    Ipv4InterfaceContainer addresses;
};

inline Wire wire(Ptr<Node> a, Ptr<Node> b, const std::string& rate, Time delay, uint32_t limit, const Settings& settings,
                 bool controlled = false)
{
    static Ipv4AddressHelper address("10.0.0.0", "255.255.255.252");
    PointToPointHelper link;
    if (!controlled)
    {
        link.DisableFlowControl();
    }
    link.SetDeviceAttribute("DataRate", StringValue(rate));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, limit)));
    Wire made{link.Install(a, b), {}};
    made.addresses = address.Assign(made.devices);
    address.NewNetwork();
    for (uint32_t i = 0; i < 2; ++i)
    {
        auto device = DynamicCast<PointToPointNetDevice>(made.devices.Get(i));
        device->GetQueue()->TraceConnectWithoutContext("Drop", Callback<void, Ptr<const Packet>>([](auto) { ++counts.drops; }));
        if (settings.exact)
        {
            device->TraceConnectWithoutContext("PhyRxEnd", Callback<void, Ptr<const Packet>>([](auto) { ++counts.hops; }));
        }
    }
    return made;
}

// A node sends packets to unknown destinations to `next`, over the interface towards it.
inline void default_route(Ptr<Node> node, Ipv4Address next, Ptr<NetDevice> over)
{
    auto ip = node->GetObject<Ipv4>();
    Ipv4StaticRoutingHelper().GetStaticRouting(ip)->SetDefaultRoute(next, ip->GetInterfaceForDevice(over));
}

// Counts the arrivals at a node, flow by flow. One socket serves all flows: with a socket per flow, every arriving packet
// would search a list of all sockets.
inline void periodic_sink(Ptr<Node> node)
{
    auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
    socket->SetRecvCallback(Callback<void, Ptr<Socket>>([](Ptr<Socket> socket) {
        while (auto packet = socket->Recv())
        {
            uint32_t flow;
            packet->CopyData(reinterpret_cast<uint8_t*>(&flow), sizeof flow);
            ++counts.packets[flow];
        }
    }));
}

// Sends a packet of flow `flow` each `period` from now on; its first four bytes say the flow.
inline void emit(Ptr<Socket> socket, uint32_t flow, uint32_t size, Time period)
{
    std::vector<uint8_t> data(size - HEADERS);
    std::memcpy(data.data(), &flow, sizeof flow);
    socket->Send(Create<Packet>(data.data(), data.size()));
    Simulator::Schedule(period, &emit, socket, flow, size, period);
}

// Starts `count` flows of `size` bytes each `period` at random phases, through one socket of class `priority`.
inline void periodic_flows(Ptr<Node> from, Ipv4Address to, uint32_t count, uint32_t size, double period, uint8_t priority = 0)
{
    auto socket = Socket::CreateSocket(from, UdpSocketFactory::GetTypeId());
    socket->SetPriority(priority);
    socket->Connect(InetSocketAddress(to, 9));
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t flow = counts.packets.size();
        counts.packets.push_back(0);
        Simulator::Schedule(draw(period), &emit, socket, flow, size, Seconds(period));
    }
}

inline void result(uint64_t delivered, double goodput)
{
    std::cout << "packet_hops=" << counts.hops << " delivered=" << delivered << " drops=" << counts.drops
              << " goodput=" << std::fixed << goodput << std::endl;
}

// Runs, and prints the counts of periodic flows; `payload` is the size of a flow's packets without 28 bytes of headers.
inline void run_periodic(Settings& settings, double lasts, const std::function<uint32_t(uint32_t)>& payload)
{
    run(settings, lasts);
    uint64_t delivered = 0;
    uint64_t bytes = 0;
    for (uint32_t flow = 0; flow < counts.packets.size(); ++flow)
    {
        delivered += counts.packets[flow];
        bytes += counts.packets[flow] * payload(flow);
    }
    result(delivered, 8.0 * bytes / settings.until);
}
