// TCP over a dumbbell: 40 access nodes a side, one bottleneck, NewReno with an ACK for every packet.
//
// With --bulk=1 40 transfers over 10 Gb/s and a round trip of 1 ms, otherwise a thousand over 1 Gb/s and 50 ms.
#include "lean.h"

// Data that makes packets of 1500 bytes: PPP has 2, IP and TCP without options 40.
constexpr uint32_t SEGMENT = 1458;
constexpr uint32_t NODES = 40;

static void configure()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    // The window of 256 packets is the sender's buffer: where it is the receiver's, ns-3.37 ends with a segmentation fault.
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(256 * SEGMENT));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(512 * SEGMENT));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(false));
}

// Hands over as much as the socket takes.
static void fill(Ptr<Socket> socket, uint32_t room)
{
    for (; room >= SEGMENT; room -= SEGMENT)
    {
        socket->Send(Create<Packet>(SEGMENT));
    }
}

static void begin(Ptr<Node> node, InetSocketAddress to)
{
    auto socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    socket->SetConnectCallback(Callback<void, Ptr<Socket>>([](auto socket) { fill(socket, socket->GetTxAvailable()); }),
                               MakeNullCallback<void, Ptr<Socket>>());
    socket->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>(&fill));
    socket->Connect(to);
}

// Counts the bytes of each connection that a node accepts.
static void listen(Ptr<Node> node)
{
    auto socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
    socket->Listen();
    socket->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>([](Ptr<Socket> accepted, const Address&) {
            size_t flow = counts.packets.size();
            counts.packets.push_back(0);
            accepted->SetRecvCallback(Callback<void, Ptr<Socket>>([flow](Ptr<Socket> socket) {
                while (auto data = socket->Recv())
                {
                    counts.packets[flow] += data->GetSize();
                }
            }));
        }));
}

int main(int argc, char* argv[])
{
    bool bulk = false;
    auto settings = read(argc, argv, "bulk", &bulk);
    const uint32_t flows = bulk ? 40 : 1000;
    const double rtt = bulk ? 1e-3 : 50e-3;
    const std::string access = bulk ? "40Gbps" : "10Gbps";
    configure();

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
    uint64_t bytes = 0;
    for (auto received : counts.packets)
    {
        bytes += received;
    }
    // As if a segment carried 1460 bytes, which it does where a link adds nothing.
    result(bytes / SEGMENT, 8.0 * bytes / SEGMENT * 1460 / settings.until);
}
