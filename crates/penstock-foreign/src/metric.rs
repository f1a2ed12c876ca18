//! Metrics: numbers that a hook computes from the counts of a flow or a link, after the run.

use crate::declaration::Component;
use crate::hook::{leak, Hook};
use crate::kind::Kind;
use crate::parameters::Values;
use crate::record::Record;
use crate::views::{views, View};
use penstock_engine::blueprint::FlowWatch;
use penstock_engine::observations::LinkCounters;
use penstock_model::registry::Plugin;
use penstock_model::site::Site;
use penstock_scenario::metric::{AddMetric, Evaluation, MeasureKeys, Metric, MetricInfo, SplitBy, Targets, ANY, MEAN, MEANS, SUM};
use std::sync::Arc;

/// Metrics: the counts of a flow or a link, and the number that a hook computes from them.
pub(crate) const KIND: Kind = Kind { name: "metric", views: &[Flow::LAYOUT, Link::LAYOUT, Number::LAYOUT], add };

views! {
    /// Counts of a flow, or of an aggregate of calls, in the measurement period.
    Flow {
        /// Number of the flow.
        number: i64,
        /// Length of the period (ps).
        period: i64,
        /// Data packets sent, retransmissions included.
        sent_packets: i64,
        /// Their bytes on the wire.
        sent_bytes: i64,
        /// Data packets sent again.
        retransmitted_packets: i64,
        /// Retransmission timers that expired.
        timeouts: i64,
        /// Packets sent that were dropped.
        lost_packets: i64,
        /// Data packets that arrived, duplicates included.
        received_packets: i64,
        /// Their bytes on the wire.
        received_bytes: i64,
        /// Their bytes without headers.
        received_payload: i64,
        /// Bytes without headers delivered to the application, each once.
        goodput_bytes: i64,
        /// Data packets that arrived marked.
        marked_packets: i64,
        /// Mean one-way delay (ps); 0 if nothing arrived.
        delay_mean: i64,
        /// Maximum one-way delay (ps).
        delay_max: i64,
        /// Percentiles of the one-way delay (ps): the 50th; 0 if nothing arrived,
        delay_p50: i64,
        /// the 90th,
        delay_p90: i64,
        /// the 95th,
        delay_p95: i64,
        /// the 99th,
        delay_p99: i64,
        /// the 99.9th.
        delay_p999: i64,
    }
    /// Counts of a link in the measurement period.
    Link {
        /// Length of the period (ps).
        period: i64,
        /// Packets offered to the port.
        offered_packets: i64,
        /// Their bytes.
        offered_bytes: i64,
        /// Packets whose transmission ended.
        sent_packets: i64,
        /// Their bytes.
        sent_bytes: i64,
        /// Packets dropped.
        dropped_packets: i64,
        /// Their bytes.
        dropped_bytes: i64,
        /// Packets marked.
        marked_packets: i64,
        /// Their bytes.
        marked_bytes: i64,
        /// Time for which the wire was busy (ps).
        busy: i64,
        /// Mean time from arrival to the start of transmission (ps); 0 if nothing was sent.
        wait_mean: i64,
        /// Packets offered, by drop precedence.
        offered_of_precedence: [i64; 4],
        /// Packets dropped, by drop precedence.
        dropped_of_precedence: [i64; 4],
    }
    /// The answer.
    Number {
        /// The number, or none if it is not one.
        value: f64 => written,
    }
}

/// Adds the metric that `component` declares.
fn add(plugin: Plugin, component: Arc<Component>) -> Plugin {
    plugin.add_metric(*component.metric.get_or_init(|| Box::leak(Box::new(ForeignMetric::new(&component)))))
}

/// A metric whose hooks are C functions.
struct ForeignMetric {
    component: Arc<Component>,
    info: &'static MetricInfo,
    of_flow: Option<Hook>,
    of_link: Option<Hook>,
}

impl ForeignMetric {
    fn new(component: &Arc<Component>) -> ForeignMetric {
        let hook = |name: &str| component.hooks.get(name).copied();
        let (of_flow, of_link) = (hook("of_flow"), hook("of_link"));
        let (ends, statistic) = (of_flow.is_some(), component.setting("statistic"));
        let is_sum = statistic == Some("sum");
        let info = MetricInfo {
            name: component.name,
            unit: leak(component.setting("unit").unwrap_or("1")),
            doc: component.entry().doc,
            targets: Targets { flows: ends, calls: ends, links: of_link.is_some() },
            take: if is_sum { ANY } else { MEANS },
            default_take: if is_sum { SUM } else { MEAN },
            split: if of_link.is_some() { &[SplitBy::Class] } else { &[] },
            is_ratio: statistic == Some("share"),
            ..MetricInfo::PLAIN
        };
        ForeignMetric { component: Arc::clone(component), info: Box::leak(Box::new(info)), of_flow, of_link }
    }

    /// The number that a hook computes from a view; NaN if it answers that there is none.
    fn value(&self, name: &'static str, hook: Option<Hook>, view: &mut impl View) -> f64 {
        let hook = hook.expect("validation refuses targets without a hook");
        let mut record = Record::new(&self.component, &Values::default(), &Site::trial());
        let mut number = Number::default();
        record.call(name, hook, (view, &mut number), [0, 0]);
        number.value
    }
}

/// A count as a word.
fn word(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// A mean of picoseconds, rounded down; 0 of none.
fn mean(sum_ps: u128, count: u64) -> i64 {
    sum_ps.checked_div(u128::from(count)).map_or(0, word)
}

fn period(at: &Evaluation<'_>) -> i64 {
    word(at.seen.to.since(at.seen.from).as_ps())
}

impl Metric for ForeignMetric {
    fn info(&self) -> &'static MetricInfo {
        self.info
    }

    fn record_flows(&self, _keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.delays |= self.component.has("delays");
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        let seen = &at.seen.flows[flow];
        let recorded = "`record_flows` requests it";
        let delays = self.component.has("delays").then(|| at.timings(flow).delays.as_ref().expect(recorded));
        let percentile = |percent: f64| delays.and_then(|all| all.quantile(percent / 100.0)).map_or(0, |delay| word(delay.as_ps()));
        let mut view = Flow {
            number: flow as i64,
            period: period(at),
            sent_packets: word(seen.sent.packets),
            sent_bytes: word(seen.sent.bytes),
            retransmitted_packets: word(seen.sent.retransmissions),
            timeouts: word(seen.sent.timeouts),
            lost_packets: word(seen.lost_packets),
            received_packets: word(seen.received.packets),
            received_bytes: word(seen.received.bytes),
            received_payload: word(seen.received_payload),
            goodput_bytes: word(seen.goodput_bytes),
            marked_packets: word(seen.received.marked),
            delay_mean: mean(seen.received.delay_sum_ps, seen.received.packets),
            delay_max: word(seen.received.delay_max.as_ps()),
            delay_p50: percentile(50.0),
            delay_p90: percentile(90.0),
            delay_p95: percentile(95.0),
            delay_p99: percentile(99.0),
            delay_p999: percentile(99.9),
        };
        self.value("of_flow", self.of_flow, &mut view)
    }

    fn link_value(&self, at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        let dropped = |precedence: usize| link.dropped_packets.iter().map(|of_cause| of_cause[precedence]).sum::<u64>();
        let dropped_of_precedence = [0, 1, 2, 3].map(|precedence| word(dropped(precedence)));
        let mut view = Link {
            period: period(at),
            offered_packets: word(link.offered_packets.iter().sum::<u64>()),
            offered_bytes: word(link.offered_bytes),
            sent_packets: word(link.sent_packets),
            sent_bytes: word(link.sent_bytes),
            dropped_packets: dropped_of_precedence.iter().sum(),
            dropped_bytes: word(link.dropped_bytes),
            marked_packets: word(link.marked_packets),
            marked_bytes: word(link.marked_bytes),
            busy: word(link.busy.as_ps()),
            wait_mean: mean(link.wait_sum_ps, link.waits),
            offered_of_precedence: link.offered_packets.map(word),
            dropped_of_precedence,
        };
        self.value("of_link", self.of_link, &mut view)
    }
}
