//! Quantized congestion notification, by hand-worked numbers.

mod support;

use penstock_engine::blueprint::{CongestionPointsPlan, SwitchPlan};
use penstock_engine::observations::TraceEvent;
use penstock_engine::{Executor, Sim};
use penstock_model::feedback::{CongestionPointPlan, ReactionPointPlan};
use penstock_model::id::FlowId;
use support::{discipline, parameters, source, transport, Net};

#[test]
fn samples_slow_their_source() {
    // A station `h` that sends 500 kbit/s over 1 Mbit/s and 1 ms to a switch `s`, which has 100 kbit/s to `c`: 16 ms, 8 ms and 80 ms
    // per frame of 1000 bytes.
    let mut net = Net::new("230 ms", 1);
    let [h, s, c] = ["h", "s", "c"].map(|name| net.node(name));
    let large = || discipline("tail-drop", "limit = 1000 packets");
    let into = net.link(h, s, "1 Mbit/s", "1 ms", large());
    let out = net.link(s, c, "100 kbit/s", "0 s", large());
    let back = net.link(s, h, "1 Mbit/s", "1 ms", large());
    let (forward, back) = (net.route(&[into, out]), net.route(&[back]));
    let group = net.group("cbr", source("cbr", "rate = 500 kbit/s; packet = 1000 bytes"), transport("udp", ""), ("0 s", "0 s"));
    net.flow(group, forward, forward);
    let point = CongestionPointPlan::Qcn(parameters("equilibrium = 500 bytes; sample-base = 3000 bytes; jitter = 0"));
    let points = CongestionPointsPlan { point, routes: vec![(FlowId(0), false, back)] };
    net.0.switches.push(SwitchPlan { congestion_points: Some(points), ..SwitchPlan::new(s) });
    let limiters = "least-decrease = 0.25; decrease-gain = 1/50; timer = 1 s; floor = 10 kbit/s; jitter = 0";
    let reaction_point = Some(ReactionPointPlan::Qcn(parameters(limiters)));
    net.0.switches.push(SwitchPlan { reaction_point, ..SwitchPlan::new(h) });
    net.0.trace = true;
    let seen = net.run();
    let times = |place: u32, event: TraceEvent, size: u32| -> Vec<u64> {
        let rows = seen.trace.iter().filter(|row| row.place == place && row.event == event && row.size() == size);
        rows.map(|row| row.time.as_ps() / 1_000_000).collect()
    };
    // Times from the first arrival on, 9 ms after it was sent. The arrival of 32 ms completes 3000 bytes; two frames wait with it:
    // 1500 + 2 * 2000 bytes are above 5 * 500, so |Fb| = 63, and the next sample is 3000 * 18.5 / 150 = 370 bytes later, the arrival of
    // 48 ms. Each takes the rate to a quarter. The first message is there at 33.512 ms: 250 kbit/s, 32 ms per frame. What is sent 48 ms
    // after the first, at 39, leaves at once, the next one not before 71.
    //
    // The second is there at 49.512 ms: 62.5 kbit/s. 21.488 ms were left, 85.952 are now: it leaves at 135.464 and arrives 9 ms later,
    // when three wait: a sample again, and 512 ms per frame.
    let at = times(net.0.nodes.len() as u32 + out.0, TraceEvent::Accept, 1000);
    let since = |times: Vec<u64>| times.iter().map(|time| time - at[0]).collect::<Vec<u64>>();
    assert_eq!(since(times(1, TraceEvent::Send, 64)), [32_000, 48_000, 144_464]);
    assert_eq!(since(times(0, TraceEvent::Receive, 64)), [33_512, 49_512, 145_976]);
    assert_eq!(since(at.clone()), [0, 16_000, 32_000, 48_000, 144_464]);
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps] {
        assert_eq!(Sim::new(net.0.clone()).expect("sound").with_executor(executor).run().digest, seen.digest, "{executor:?}");
    }
    for cores in [2, 3] {
        let divided = Sim::with_partition(net.0.clone(), &|process| process as u32 % cores).expect("sound");
        assert_eq!(divided.run().digest, seen.digest, "{cores} cores");
    }
}
