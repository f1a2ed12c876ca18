//! HPCC: sets the window by the utilisation that ports report.

use crate::parameters::{own, Check, Count, Probability};
use crate::transport::rate_control::{Feedback, HopRecord, RateAck, RateContext, RateControl};
use crate::units::{Bytes, Duration, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// HPCC: sets window and rate from the bytes in flight that in-band telemetry of each port reports.
    ///
    /// ## Decides
    /// Each packet is acknowledged, with the records of the ports that it passed. T is `base-rtt`. Two successive records of a port
    /// with rate B, of the times ts and ts', give txRate, the rate of what it sent in between, and u, the normalised bytes in flight:
    /// $u = min(qlen', qlen) / (B T) + txRate / B$. The u of the most loaded port is averaged with $tau = min(ts' - ts, T)$:
    /// $U = (1 - tau / T) U + (tau / T) u$. If U is at least eta, or after maxStage rounds of increase, the window becomes
    /// $W = W_c / (U / eta) + W_AI$; otherwise $W = W_c + W_AI$. W_c becomes W once per round trip, with the first acknowledgement of
    /// data sent after the previous update. Packets leave at the rate W / T, and only while fewer than W bytes are outstanding. Data
    /// packets are not ECN-capable.
    ///
    /// ## State
    /// Two windows, U, a count of rounds, and the last record of each port of the route. The cost per acknowledgement grows with the
    /// number of ports.
    ///
    /// ## Departures
    /// - Records take no space in packets; add 42 bytes to `packet` and `header` for the paper's header of five hops.
    /// - The port of the sending host writes no record: its queue holds only a few packets, since connections wait for room there.
    /// - Fields have full range and resolution. The records of the first acknowledgement are only stored, and start the first round trip.
    ///   U starts at 0; in the authors' simulator at 1.
    /// - The window is at most B T of the first link, and the rate at least `floor`; the paper has no bounds.
    /// - W_AI is a parameter, 80 bytes; the paper derives it from the number of flows N: $W_init (1 - eta) / N$.
    ///
    /// ## Example
    /// ```toml
    /// transport.roce = { rate-control.hpcc = { base-rtt = "13 us" } }
    /// ```
    ///
    /// ## References
    /// Li et al. [Li19 algorithm 1].
    pub struct Parameters {
        /// Round-trip time without queues (T), a little above the longest [Li19].
        base_rtt: Duration = "13 us";
        /// Target utilisation (eta) [Li19].
        utilisation: Probability = "95 %", changeable;
        /// Rounds of additive increase before a multiplicative one (maxStage) [Li19].
        max_stage: Count = "5", changeable;
        /// Additive increase of the window (W_AI) [Li19].
        additive_increase: Bytes = "80 bytes", changeable;
        /// Minimum rate.
        floor: Rate = "10 Mbit/s", changeable;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.base_rtt == Duration::ZERO {
            mistake("base-rtt", "must be above 0 s".to_owned());
        }
        if self.utilisation.0 <= 0.0 {
            mistake("utilisation", format!("{} is out of range; above 0 and at most 1", self.utilisation.0));
        }
    }
}

/// The windows of a sender, in bytes; times in seconds.
#[derive(Clone, Debug)]
pub struct Hpcc {
    /// Base round-trip time (T).
    base_rtt: f64,
    eta: f64,
    max_stage: u32,
    increase: f64,
    /// Bounds of the window W.
    bounds: (f64, f64),
    /// Window (W), and reference window (W_c).
    window: f64,
    reference: f64,
    /// Utilisation (U).
    utilisation: f64,
    /// Number of rounds of additive increase (incStage).
    stage: u32,
    /// The first acknowledgement beyond this packet changes W_c (lastUpdateSeq).
    last_update: u32,
    /// Last record of each hop (L).
    links: Vec<HopRecord>,
}

impl Hpcc {
    /// A control whose initial window is the number of bytes that the first link sends in a round trip.
    pub fn new(parameters: &Parameters, context: &RateContext) -> Hpcc {
        let base_rtt = parameters.base_rtt.as_seconds();
        let bytes = |rate: Rate| rate.as_bps() as f64 / 8.0 * base_rtt;
        let (most, least) = (bytes(context.site.rate), bytes(parameters.floor.min(context.site.rate)));
        Hpcc {
            base_rtt,
            eta: parameters.utilisation.0,
            max_stage: parameters.max_stage.0,
            increase: parameters.additive_increase.get() as f64,
            bounds: (least, most),
            window: most,
            reference: most,
            utilisation: 0.0,
            stage: 0,
            last_update: 0,
            links: Vec::new(),
        }
    }

    /// Updates U from the records of an acknowledgement (MeasureInflight) [Li19 algorithm 1].
    fn measure_inflight(&mut self, records: &[HopRecord]) {
        let (mut most, mut interval) = (0.0, 0.0);
        for (before, now) in self.links.iter().zip(records) {
            let elapsed = now.at.since(before.at).as_seconds();
            let rate = now.rate.as_bps() as f64 / 8.0;
            let sent = (now.sent - before.sent) as f64 / elapsed;
            let load = now.queue.min(before.queue) as f64 / (rate * self.base_rtt) + sent / rate;
            if load > most {
                (most, interval) = (load, elapsed);
            }
        }
        let share = interval.min(self.base_rtt) / self.base_rtt;
        self.utilisation = (1.0 - share) * self.utilisation + share * most;
    }

    /// Sets W, and W_c once per round trip (ComputeWind) [Li19 algorithm 1].
    fn compute_window(&mut self, is_new_round: bool) {
        let decreases = self.utilisation >= self.eta || self.stage >= self.max_stage;
        let scaled = if decreases { self.reference / (self.utilisation / self.eta) } else { self.reference };
        self.window = (scaled + self.increase).clamp(self.bounds.0, self.bounds.1);
        if is_new_round {
            self.stage = if decreases { 0 } else { self.stage + 1 };
            self.reference = self.window;
        }
    }

    /// Whether records follow the stored ones: same ports, all later. If a record is missing, ports differ.
    fn follow(&self, records: &[HopRecord]) -> bool {
        self.links.len() == records.len() && self.links.iter().zip(records).all(|(before, now)| now.hop == before.hop && now.at > before.at)
    }
}

impl RateControl for Hpcc {
    fn rate(&mut self, _now: Time) -> Rate {
        Rate::from_bps((self.window * 8.0 / self.base_rtt + 0.5).max(1.0) as u64)
    }

    fn window(&self) -> Option<Bytes> {
        Some(Bytes::new(self.window as u64))
    }

    fn feedback(&self) -> Feedback {
        Feedback { ack_every: Some(1), telemetry: true, ..Feedback::default() }
    }

    fn on_ack(&mut self, ack: &RateAck<'_>) {
        if ack.telemetry.is_empty() {
            return;
        }
        let is_new_round = ack.next > self.last_update;
        if self.follow(ack.telemetry) {
            self.measure_inflight(ack.telemetry);
            self.compute_window(is_new_round);
        }
        if is_new_round {
            self.last_update = ack.next_to_send;
        }
        self.links.clear();
        self.links.extend_from_slice(ack.telemetry);
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        (self.eta, self.max_stage) = (it.utilisation.0, it.max_stage.0);
        self.increase = it.additive_increase.get() as f64;
        self.bounds.0 = (it.floor.as_bps() as f64 / 8.0 * self.base_rtt).min(self.bounds.1);
    }
}

crate::state! {
    impl Hpcc, |it, _now| {
        /// Window (W), as of the last acknowledgement [Li19].
        "window", "bytes", is it.window;
        /// Reference window (W_c), likewise [Li19].
        "reference-window", "bytes", is it.reference;
        /// Averaged utilisation of the most loaded port (U), likewise [Li19].
        "utilisation", "1", is it.utilisation;
    }
}

#[cfg(test)]
mod tests;
