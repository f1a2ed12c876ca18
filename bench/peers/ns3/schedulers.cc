// Eight classes of periodic flows, of 160 and of 1500 bytes, offer 1.2 times what 1 Gb/s carries: under a FIFO queue of 800
// packets, or (--priority=1) one of 100 packets for each class in the order of their priority.
#include "lean.h"

#include <ns3/traffic-control-module.h>

// One queue for each class instead of the device's, which holds one packet in addition to the one on the wire.
static void prioritise(Ptr<NetDevice> device)
{
    TrafficControlHelper control;
    auto root = control.SetRootQueueDisc("ns3::PrioQueueDisc", "Priomap", StringValue("0 1 2 3 4 5 6 7 7 7 7 7 7 7 7 7"));
    for (auto queue : control.AddQueueDiscClasses(root, 8, "ns3::QueueDiscClass"))
    {
        control.AddChildQueueDisc(root, queue, "ns3::FifoQueueDisc", "MaxSize", StringValue("100p"));
    }
    control.Uninstall(device); // of what every device with flow control is given
    auto discipline = control.Install(device).Get(0);
    discipline->TraceConnectWithoutContext("Drop", Callback<void, Ptr<const QueueDiscItem>>([](auto) { ++counts.drops; }));
}

int main(int argc, char* argv[])
{
    bool priority = false;
    auto settings = read(argc, argv, "priority", &priority);
    NodeContainer nodes(2);
    stack(nodes);
    auto link = wire(nodes.Get(0), nodes.Get(1), "1Gbps", MilliSeconds(10), priority ? 1 : 799, settings, priority);
    if (priority)
    {
        prioritise(link.devices.Get(0));
    }
    periodic_sink(nodes.Get(1));
    for (uint8_t each = 0; each < 8; ++each)
    {
        for (uint32_t size : {160, 1500})
        {
            periodic_flows(nodes.Get(0), link.addresses.GetAddress(1), 50, size, size * 8 / 1.5e6, each);
        }
    }
    run_periodic(settings, 2, [](uint32_t flow) { return flow / 50 % 2 == 0 ? 132 : 1472; });
}
