//! Congestion controls.

mod views;

use crate::declaration::Component;
use crate::hook::Hook;
use crate::kind::Kind;
use crate::parameters::{erased, Values};
use crate::record::Record;
use crate::views::{count, ps, Nothing, View};
use penstock_model::parameters::own;
use penstock_model::probe::{Probe, ReportVariable};
use penstock_model::registry::Plugin;
use penstock_model::transport::congestion_control::{
    AckReport, Acknowledgement, Cause, Congestion, CongestionControl, CongestionControls, ConnectionContext, EcnEcho, EcnFeedback, EcnUse,
    LostSegment, Needs, RttSample, RttSampling, SentSegment, Timeout, Window,
};
use penstock_model::units::{Duration, Rate, Time};
use std::any::Any;
use std::sync::Arc;
use views::{Ack, Connection, Event, Lost, Marks, Report, Sent, WindowView};

/// Congestion controls: an event of a connection, and its window.
pub(crate) const KIND: Kind = Kind {
    name: "congestion-control",
    views: &[WindowView::LAYOUT, Ack::LAYOUT, Event::LAYOUT, Connection::LAYOUT, Marks::LAYOUT, Report::LAYOUT, Sent::LAYOUT, Lost::LAYOUT],
    add,
};

/// Adds the congestion control that `component` declares.
fn add(plugin: Plugin, component: Arc<Component>) -> Plugin {
    let reading = Arc::clone(&component);
    plugin.add_read::<CongestionControls, Values>(
        component.entry(),
        move |reader| reading.parameters.read(reader),
        erased,
        move |values, connection| Ok(Box::new(ForeignControl::new(&component, values, connection)?)),
    )
}

/// A congestion control whose hooks are C functions.
#[derive(Clone)]
struct ForeignControl {
    record: Record,
    hooks: Hooks,
    /// Positions of the pacing rate and of a flag in the state.
    pacing_rate: Option<usize>,
    limits_rate: Option<usize>,
    samples_every_ack: bool,
    /// Time and length of the last measured round trip (ps).
    rtt: (Time, i64),
    /// SRTT (ps).
    smoothed: i64,
    packet_size: u32,
    ecn: EcnUse,
}

/// The compiled hooks.
#[derive(Clone, Copy)]
struct Hooks {
    on_ack: Hook,
    on_congestion: Hook,
    on_timeout: Hook,
    on_rtt_sample: Option<Hook>,
    on_marks: Option<Hook>,
    on_report: Option<Hook>,
    on_sent: Option<Hook>,
    on_lost: Option<Hook>,
    on_lost_segment: Option<Hook>,
    on_resume: Option<Hook>,
    on_recovery_start: Option<Hook>,
    on_recovery_end: Option<Hook>,
}

fn duration_ps(duration: Duration) -> i64 {
    i64::try_from(duration.as_ps()).unwrap_or(i64::MAX)
}

fn window_view(window: &Window) -> WindowView {
    WindowView { size: window.size, threshold: window.threshold, max: i64::from(window.max) }
}

impl ForeignControl {
    fn new(component: &Arc<Component>, values: &Values, connection: &ConnectionContext) -> Result<ForeignControl, String> {
        let hook = |name: &str| component.hooks.get(name).copied();
        let needed = |name: &str| hook(name).ok_or_else(|| format!("has no method {name}"));
        let hooks = Hooks {
            on_ack: needed("on_ack")?,
            on_congestion: needed("on_congestion")?,
            on_timeout: needed("on_timeout")?,
            on_rtt_sample: hook("on_rtt_sample"),
            on_marks: hook("on_marks"),
            on_report: hook("on_report"),
            on_sent: hook("on_sent"),
            on_lost: hook("on_lost"),
            on_lost_segment: hook("on_lost_segment"),
            on_resume: hook("on_resume"),
            on_recovery_start: hook("on_recovery_start"),
            on_recovery_end: hook("on_recovery_end"),
        };
        let echo = [("marks-exact", EcnEcho::Exact), ("marks-count", EcnEcho::Count)].into_iter().find(|(fact, _)| component.has(fact));
        let ecn = echo.map_or_else(EcnUse::default, |(_, echo)| EcnUse { required: true, echo, ..EcnUse::default() });
        let mut it = ForeignControl {
            record: Record::new(component, values, &connection.site),
            hooks,
            pacing_rate: component.state_position("pacing_rate"),
            limits_rate: component.state_position("limits_rate"),
            samples_every_ack: component.has("every-ack"),
            rtt: (Time::NEVER, i64::MAX),
            smoothed: 0,
            packet_size: connection.packet_size,
            ecn,
        };
        if let Some(on_start) = hook("on_start") {
            let mut view = Connection {
                payload: i64::from(connection.payload),
                packet_size: i64::from(connection.packet_size),
                max_window: i64::from(connection.max_window),
                paced: i64::from(connection.paced),
            };
            it.record.call("on_start", on_start, (&mut view, &mut Nothing {}), [0, 0]);
        }
        Ok(it)
    }

    /// Calls a hook with an event and the window, which it may change.
    #[inline]
    fn call(&mut self, name: &'static str, hook: Hook, event: &mut impl View, now: Time, window: &mut Window) {
        let (mut view, arguments) = (window_view(window), [ps(now), 0]);
        self.record.call(name, hook, (event, &mut view), arguments);
        let WindowView { size, threshold, .. } = view;
        if !(size.is_finite() && size > 0.0 && threshold >= 0.0) {
            let what = format!("leaves a window of {size} segments with a threshold of {threshold}; above 0, and 0 or more");
            self.record.fail(None, name, what, (event, &window_view(window)), arguments);
        }
        (window.size, window.threshold) = (size.min(f64::from(window.max)), threshold);
    }
}

impl Probe for ForeignControl {
    fn probe(&self, _now: Time, report: &mut ReportVariable<'_>) {
        self.record.probe(report);
    }
}

impl CongestionControl for ForeignControl {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        let mut view = Ack {
            newly: count(&ack.newly),
            delivered: count(&ack.delivered),
            acknowledged: count(&ack.acknowledged),
            next: count(&ack.next),
            in_flight: count(&ack.in_flight),
            app_limited: i64::from(ack.app_limited),
            ece: i64::from(ack.ece),
            in_recovery: i64::from(ack.in_recovery),
            may_grow: i64::from(ack.may_grow()),
            rtt: if self.rtt.0 == ack.now { self.rtt.1 } else { i64::MAX },
            smoothed: self.smoothed,
        };
        self.call("on_ack", self.hooks.on_ack, &mut view, ack.now, window);
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        let cause = match congestion.cause {
            Cause::Loss => 1,
            Cause::Ecn => 2,
        };
        let mut event = Event { cause, in_flight: i64::from(congestion.in_flight), ..Event::default() };
        self.call("on_congestion", self.hooks.on_congestion, &mut event, congestion.now, window);
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        let (in_flight, repeated) = (i64::from(timeout.in_flight), i64::from(timeout.repeated));
        let mut event = Event { in_flight, repeated, ..Event::default() };
        self.call("on_timeout", self.hooks.on_timeout, &mut event, timeout.now, window);
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, window: &mut Window) {
        let rtt = duration_ps(sample.rtt);
        (self.rtt, self.smoothed) = ((sample.now, rtt), duration_ps(sample.smoothed));
        if let Some(hook) = self.hooks.on_rtt_sample {
            let mut event = Event { rtt, smoothed: self.smoothed, ..Event::default() };
            self.call("on_rtt_sample", hook, &mut event, sample.now, window);
        }
    }

    fn on_lost(&mut self, now: Time, segments: u32) {
        if let Some(hook) = self.hooks.on_lost {
            let mut event = Event { segments: i64::from(segments), ..Event::default() };
            self.record.call("on_lost", hook, (&mut event, &mut Nothing {}), [ps(now), 0]);
        }
    }

    fn needs(&self) -> Needs {
        Needs { reports: [self.hooks.on_report, self.hooks.on_sent, self.hooks.on_lost_segment].iter().any(Option::is_some) }
    }

    fn on_report(&mut self, report: &AckReport, window: &mut Window) {
        let Some(hook) = self.hooks.on_report else { return };
        let mut view = Report {
            acknowledged: i64::from(report.acknowledged),
            newly_acknowledged: i64::from(report.newly_acknowledged),
            newly_sacked: i64::from(report.newly_sacked),
            newly_lost: i64::from(report.newly_lost),
            in_flight_before: i64::from(report.in_flight_before),
            in_flight: i64::from(report.in_flight),
            delivered: i64::from(report.delivered),
            rtt: report.rtt.map_or(i64::MAX, duration_ps),
            in_flight_at_sending: i64::from(report.in_flight_at_sending),
            lost_since_sending: i64::from(report.lost_since_sending),
            in_recovery: i64::from(report.in_recovery),
            ..Report::default()
        };
        if let Some(sample) = &report.rate {
            view.rate = i64::try_from(sample.rate(self.packet_size).as_bps()).unwrap_or(i64::MAX);
            view.rate_delivered = i64::from(sample.delivered);
            view.rate_interval = duration_ps(sample.interval);
            view.prior_delivered = i64::from(sample.prior_delivered);
            view.app_limited = i64::from(sample.is_app_limited);
        }
        self.call("on_report", hook, &mut view, report.now, window);
    }

    fn limits_rate(&self) -> bool {
        self.limits_rate.is_some_and(|position| self.record.state(position) != 0)
    }

    fn on_lost_segment(&mut self, now: Time, lost: &LostSegment) {
        let Some(hook) = self.hooks.on_lost_segment else { return };
        let mut view = Lost {
            number: i64::from(lost.seq),
            in_flight: i64::from(lost.in_flight),
            lost: i64::from(lost.lost),
            delivered: i64::from(lost.delivered),
            app_limited: i64::from(lost.app_limited),
        };
        self.record.call("on_lost_segment", hook, (&mut view, &mut Nothing {}), [ps(now), 0]);
    }

    fn on_sent(&mut self, sent: &SentSegment, window: &mut Window) {
        let Some(hook) = self.hooks.on_sent else { return };
        let mut view = Sent {
            number: i64::from(sent.seq),
            retransmission: i64::from(sent.retransmission),
            in_flight: i64::from(sent.in_flight),
            app_limited: i64::from(sent.app_limited),
        };
        self.call("on_sent", hook, &mut view, sent.now, window);
    }

    fn on_recovery_start(&mut self, now: Time, window: &mut Window) {
        if let Some(hook) = self.hooks.on_recovery_start {
            self.call("on_recovery_start", hook, &mut Nothing {}, now, window);
        }
    }

    fn on_recovery_end(&mut self, now: Time, window: &mut Window) {
        match self.hooks.on_recovery_end {
            Some(hook) => self.call("on_recovery_end", hook, &mut Nothing {}, now, window),
            None => window.size = window.threshold, // [RFC5681 s3.2 (6)]
        }
    }

    fn on_resume(&mut self, now: Time, window: &mut Window) {
        if let Some(hook) = self.hooks.on_resume {
            self.call("on_resume", hook, &mut Nothing {}, now, window);
        }
    }

    fn ecn_use(&self) -> EcnUse {
        self.ecn
    }

    fn on_ecn_feedback(&mut self, feedback: &EcnFeedback) {
        let Some(hook) = self.hooks.on_marks else { return };
        let mut view = Marks {
            acknowledged: i64::from(feedback.acknowledged),
            newly: i64::from(feedback.newly),
            next: i64::from(feedback.next),
            delivered: i64::from(feedback.delivered),
            ece: i64::from(feedback.ece),
            marked: i64::from(feedback.marked),
        };
        self.record.call("on_marks", hook, (&mut view, &mut Nothing {}), [ps(feedback.now), 0]);
    }

    fn rtt_sampling(&self) -> RttSampling {
        if self.samples_every_ack {
            RttSampling::EveryAck
        } else {
            RttSampling::OncePerRound
        }
    }

    fn paces(&self) -> bool {
        self.pacing_rate.is_some()
    }

    fn pacing_rate(&self, _now: Time, _window: &Window) -> Option<Rate> {
        let rate = self.record.state(self.pacing_rate?);
        u64::try_from(rate).ok().filter(|rate| *rate > 0).map(Rate::from_bps)
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.record.change(own(parameters));
    }
}
