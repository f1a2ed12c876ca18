// Transfers without end over a network of 1 Gb/s and 1 us a link that --network gives: NewReno with an ACK for every packet, queues
// of 100 packets. For htsim (csg-htsim): build this program with your copy of it, and give its path to compare.py.
#include "../network.h"

#include <eventlist.h>
#include <pipe.h>
#include <queue.h>
#include <tcp.h>

#include <cstring>
#include <iomanip>
#include <memory>

constexpr uint32_t PACKET = 1500;
constexpr int LIMIT = 100;
constexpr uint32_t WINDOW = 1000;

// Tail drop by packets, since htsim has it only by bytes; counts departures.
class PacketQueue : public Queue
{
  public:
    explicit PacketQueue(EventList& events) : Queue(speedFromMbps(uint64_t{1000}), LIMIT * PACKET, events, nullptr) {}

    void receivePacket(Packet& packet) override
    {
        if (_enqueued.size() >= LIMIT)
        {
            packet.free();
            ++_num_drops;
            return;
        }
        Packet* waiting = &packet;
        _enqueued.push(waiting);
        _queuesize += packet.size();
        if (_enqueued.size() == 1)
        {
            beginService();
        }
    }

    static uint64_t hops;

  protected:
    void completeService() override
    {
        ++hops;
        Queue::completeService();
    }
};
uint64_t PacketQueue::hops = 0;

// TCP with timeouts of at least 5 ms; htsim's are at least 250 ms.
class Sender : public TcpSrc
{
  public:
    explicit Sender(EventList& events) : TcpSrc(nullptr, nullptr, events)
    {
        _rto = LEAST;
        _ssthresh = WINDOW * _mss;
        _maxcwnd = WINDOW * _mss;
    }

    void receivePacket(Packet& packet) override
    {
        auto rto = _rto;
        auto expiry = _RFC2988_RTO_timeout;
        TcpSrc::receivePacket(packet);
        if (_rto != rto)
        {
            _rto = std::max(_rtt + 4 * _mdev, LEAST);
        }
        if (_RFC2988_RTO_timeout != expiry && _RFC2988_RTO_timeout != timeInf)
        {
            _RFC2988_RTO_timeout = eventlist().now() + _rto;
        }
    }

  private:
    static const simtime_picosec LEAST;
};
const simtime_picosec Sender::LEAST = timeFromMs(5);

// A link: a queue and the delay behind it.
struct Link
{
    std::unique_ptr<PacketQueue> queue;
    std::unique_ptr<Pipe> pipe;
};

static Route* route(const std::vector<Link>& links, const std::vector<uint32_t>& way, PacketSink& end)
{
    auto made = new Route();
    for (auto link : way)
    {
        made->push_back(links[link].queue.get());
        made->push_back(links[link].pipe.get());
    }
    made->push_back(&end);
    return made;
}

static std::string setting(int argc, char* argv[], const std::string& name, const std::string& otherwise)
{
    for (int i = 1; i < argc; ++i)
    {
        if (std::strncmp(argv[i], name.c_str(), name.size()) == 0)
        {
            return argv[i] + name.size();
        }
    }
    return otherwise;
}

int main(int argc, char* argv[])
{
    const auto network = read_network(setting(argc, argv, "--network=", ""));
    const double until = std::stod(setting(argc, argv, "--until=", "0.1"));
    auto& events = EventList::getTheEventList();
    EventList::setEndtime(timeFromSec(until));
    Packet::set_packet_size(PACKET);

    std::vector<Link> links;
    for (size_t i = 0; i < network.links.size(); ++i)
    {
        links.push_back({std::make_unique<PacketQueue>(events), std::make_unique<Pipe>(timeFromUs(1.0), events)});
    }
    // Checks all timers at this interval.
    TcpRtxTimerScanner timers(timeFromUs(100.0), events);
    std::vector<std::unique_ptr<TcpSink>> sinks;
    for (const auto& flow : network.flows)
    {
        auto source = new Sender(events);
        sinks.push_back(std::make_unique<TcpSink>());
        source->connect(*route(links, flow.there, *sinks.back()), *route(links, flow.back, *source), *sinks.back(), flow.start);
        timers.registerTcp(*source);
    }

    // Suppresses the line that htsim prints for each timeout.
    auto output = std::cout.rdbuf(nullptr);
    while (EventList::doNextEvent())
    {
    }
    std::cout.rdbuf(output);

    uint64_t arrived = 0;
    uint64_t in_order = 0;
    uint64_t drops = 0;
    for (const auto& sink : sinks)
    {
        arrived += sink->_packets / PACKET;
        in_order += sink->_cumulative_ack / PACKET;
    }
    for (const auto& link : links)
    {
        drops += link.queue->num_drops();
    }
    // A packet carries 1460 bytes and 40 of headers.
    std::cout << "packet_hops=" << PacketQueue::hops << " delivered=" << arrived << " drops=" << drops << " goodput=" << std::fixed
              << 8.0 * in_order * 1460 / until << std::endl;
}
