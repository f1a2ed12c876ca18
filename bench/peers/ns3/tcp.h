// TCP as in Penstock's workloads, transfers without end, and counts of bytes that arrive in order.
#pragma once

#include "lean.h"

// Data that makes packets of 1500 bytes: PPP has 2, IP and TCP without options 40.
constexpr uint32_t SEGMENT = 1458;

// NewReno's congestion control with this maximum window in packets and this minimum timeout; recovery with or without SACK.
inline void configure_tcp(uint32_t window, Time min_rto, bool sack = false)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    // The sender's buffer limits the window: if the receiver's does, ns-3.37 ends with a segmentation fault.
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window * SEGMENT));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2 * window * SEGMENT));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(min_rto));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(sack));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(false));
}

// Hands over as much as the socket accepts, in one piece.
inline void fill(Ptr<Socket> socket, uint32_t room)
{
    if (room >= SEGMENT)
    {
        socket->Send(Create<Packet>(room / SEGMENT * SEGMENT));
    }
}

inline void begin(Ptr<Node> node, InetSocketAddress to)
{
    auto socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    socket->SetConnectCallback(Callback<void, Ptr<Socket>>([](auto socket) { fill(socket, socket->GetTxAvailable()); }),
                               MakeNullCallback<void, Ptr<Socket>>());
    socket->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>(&fill));
    socket->Connect(to);
}

// Counts the bytes of each connection that a node accepts.
inline void listen(Ptr<Node> node)
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

// Prints the counts; goodput as if a segment carried 1460 bytes, as it does if links add nothing.
inline void tcp_result(const Settings& settings)
{
    uint64_t bytes = 0;
    for (auto received : counts.packets)
    {
        bytes += received;
    }
    result(bytes / SEGMENT, 8.0 * bytes / SEGMENT * 1460 / settings.until);
}
