//! A component of each open kind that the crate itself does not have, as small as can be.

use penstock_model::buffer::{Buffer, BufferContext, Buffers, Occupancies};
use penstock_model::conditioner::{Policer, Policers, Shaper, Shapers};
use penstock_model::discipline::{Discipline, Disciplines, DropCause, Eviction, Hooks, Occupancy, Verdict};
use penstock_model::meter::{Meter, Meters};
use penstock_model::packet::Packet;
use penstock_model::parameters::{own, Check, Count, Limit};
use penstock_model::registry::{Plugin, INTERFACE};
use penstock_model::rng::Stream;
use penstock_model::scheduler::QueueState;
use penstock_model::site::Site;
use penstock_model::source::{Emission, OpenLoop, Source, SourceFacts, Sources};
use penstock_model::transport::congestion_control::{Acknowledgement, Congestion, CongestionControl, CongestionControls, Timeout, Window};
use penstock_model::transport::rate_control::{RateContext, RateControl, RateControls};
use penstock_model::transport::recovery::{Flight, Recoveries, Recovery};
use penstock_model::units::{Bytes, Duration, Rate, Time};
use std::any::Any;

penstock_model::parameters! {
    /// A number, whatever it means.
    pub struct Parameters {
        /// The number.
        number: Count = "2", changeable;
    }
}
impl Check for Parameters {}

/// One type for all kinds: a number and a counter.
#[derive(Clone, Debug)]
struct Tiny {
    number: u32,
    count: u32,
}

penstock_model::state! {
    impl Tiny, |_it, _now| {}
}

impl Tiny {
    fn new(parameters: &Parameters) -> Tiny {
        Tiny { number: parameters.number.0, count: 0 }
    }

    /// Every `number`-th time.
    fn is_due(&mut self) -> bool {
        self.count += 1;
        self.count.is_multiple_of(self.number)
    }
}

#[derive(Clone)]
struct Spaced {
    spacing: Duration,
    last: Option<Time>,
}

penstock_model::state! {
    impl Spaced, |it, now| {
        /// How long ago the last packet began.
        "gap", "s", maybe it.last.map(|last| now.since(last).as_seconds());
    }
}

impl Meter for Tiny {
    fn colour(&mut self, _: Time, _: &Packet) -> u8 {
        u8::from(self.is_due())
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

impl Policer for Tiny {
    fn passes(&mut self, _: Time, _: &Packet) -> bool {
        !self.is_due()
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

/// All queues of a port hold `number` packets together, and the longest one makes room.
impl Discipline for Tiny {
    fn make_room(&mut self, _: Time, _: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
        self.count = queues.iter().map(|queue| queue.packets).sum();
        let longest = (0..queues.len()).max_by_key(|queue| queues[*queue].packets)?;
        let is_unfair = self.count >= self.number && queues[longest].packets > queues[own].packets;
        is_unfair.then(|| Eviction { queue: longest, position: queues[longest].packets - 1, cause: DropCause::Overflow })
    }

    fn on_arrival(&mut self, _: Time, _: &Packet, _: &Occupancy) -> Verdict {
        if self.count < self.number {
            Verdict::Accept
        } else {
            Verdict::Drop(DropCause::Overflow)
        }
    }

    fn hooks(&self) -> Hooks {
        Hooks::ROOM
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

/// Lets packets begin `number` ms apart.
impl Shaper for Spaced {
    fn ready(&self, now: Time, _: Bytes) -> Time {
        self.last.map_or(now, |last| now.max(last + self.spacing))
    }

    fn on_start(&mut self, now: Time, _: Bytes) {
        self.last = Some(now);
    }

    fn burst(&self) -> Option<Bytes> {
        Some(Bytes::new(1500))
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.spacing = Duration::from_ms(u64::from(own::<Parameters>(parameters).number.0));
    }
}

impl Buffer for Tiny {
    fn has_room(&self, port: usize, _: u32, held: &Occupancies) -> bool {
        held.of_port(port).packets < u64::from(self.number)
    }

    fn size(&self) -> Limit {
        Limit::Packets(1000)
    }
}

impl OpenLoop for Parameters {
    fn mean_rate(&self) -> Rate {
        Rate::from_bps(4_000_000 / u64::from(self.number.0))
    }

    fn packet_sizes(&self) -> Vec<Bytes> {
        vec![Bytes::new(500)]
    }
}

impl Source for Tiny {
    fn first(&mut self, _: &mut Stream) -> Emission {
        Emission { after: Duration::ZERO, size: 500 }
    }

    fn next(&mut self, _: &mut Stream) -> Emission {
        Emission { after: Duration::from_ms(u64::from(self.number)), size: 500 }
    }
}

impl CongestionControl for Tiny {
    fn on_ack(&mut self, _: &Acknowledgement, window: &mut Window) {
        window.size = f64::from(self.number);
    }

    fn on_congestion(&mut self, _: &Congestion, window: &mut Window) {
        window.threshold = f64::from(self.number);
    }

    fn on_timeout(&mut self, _: &Timeout, window: &mut Window) {
        window.threshold = f64::from(self.number);
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

/// A window of the `number`-th part of a segment.
#[derive(Clone)]
struct Part {
    number: u32,
}

penstock_model::state! {
    impl Part, |_it, _now| {}
}

impl CongestionControl for Part {
    fn on_ack(&mut self, _: &Acknowledgement, window: &mut Window) {
        window.size = 1.0 / f64::from(self.number);
        window.threshold = window.size;
    }

    fn on_congestion(&mut self, _: &Congestion, window: &mut Window) {
        window.threshold = 1.0 / f64::from(self.number);
    }

    fn on_timeout(&mut self, _: &Timeout, window: &mut Window) {
        window.threshold = 1.0 / f64::from(self.number);
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

impl Recovery for Tiny {
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.go_back(window);
    }
}

#[derive(Clone)]
struct Share {
    line: Rate,
    number: u32,
}

penstock_model::state! {
    impl Share, |_it, _now| {}
}

impl RateControl for Share {
    fn rate(&mut self, _: Time) -> Rate {
        Rate::from_bps(self.line.as_bps() / u64::from(self.number))
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

fn source(parameters: &Parameters, _: &Site) -> Result<(SourceFacts, Box<dyn Source + Send>), String> {
    Ok((SourceFacts::of(parameters), Box::new(Tiny::new(parameters))))
}

fn share(parameters: &Parameters, context: &RateContext) -> Result<Box<dyn RateControl + Send>, String> {
    Ok(Box::new(Share { line: context.site.rate, number: parameters.number.0 }))
}

fn spaced(parameters: &Parameters, _: &Site) -> Result<Box<dyn Shaper + Send>, String> {
    match parameters.number.0 {
        1001.. => Err("packets are at most a second apart; write number = 1000 or less".to_owned()),
        ms => Ok(Box::new(Spaced { spacing: Duration::from_ms(u64::from(ms)), last: None })),
    }
}

/// All of them.
pub fn plugin() -> Plugin {
    Plugin::new("tiny", INTERFACE, None)
        .add::<Meters, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Policers, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Disciplines, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Shapers, Parameters>("spaced", Spaced::STATE, spaced)
        .add::<Buffers, Parameters>("tiny", Tiny::STATE, |it, _: &BufferContext<'_>| Ok(Box::new(Tiny::new(it))))
        .add::<Sources, Parameters>("tiny", &[], source)
        .add::<CongestionControls, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<CongestionControls, Parameters>("part", Part::STATE, |it, _| Ok(Box::new(Part { number: it.number.0 })))
        .add::<Recoveries, Parameters>("tiny", &[], |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<RateControls, Parameters>("tiny", Share::STATE, share)
}
