//! The sections of a scenario with their keys.

use crate::measure::keys::MeasureKeys;
use crate::network::aggregation::AggregationKeys;
use crate::network::circuits::CircuitKeys;
use crate::network::links::{BackKeys, LinkKeys};
use crate::network::nodes::NodeKeys;
use crate::network::outages::{OutageKeys, RandomOutageKeys};
use crate::network::parameter_changes::ParameterChangeKeys;
use crate::network::port::MarkerKeys;
use crate::network::rate_changes::{RateChangeKeys, RateFileKeys};
use crate::network::switch_keys::{PauseKeys, SourceQuenchKeys};
use crate::series::SeriesKeys;
use crate::top_keys::TopKeys;
use crate::trace::TraceKeys;
use crate::traffic::calls::{CallKeys, InitialKeys, SignallingKeys, SurgeKeys};
use crate::traffic::flows::FlowKeys;
use crate::traffic::rate_requests::RateRequestKeys;
use crate::traffic::transfers::TransferKeys;
use penstock_model::call::delay::DelayPlan;
use penstock_model::parameters::{Field, Parameters};
use penstock_model::scheduler::class::RateLimit;

/// A table of a scenario.
pub(crate) struct SectionEntry {
    /// The name of the described entity.
    pub name: &'static str,
    /// Its path in the scenario.
    pub path: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
    pub parts: &'static [SectionPart],
}

/// A key of a section that holds more than a value.
#[derive(Clone, Copy)]
pub(crate) struct SectionPart {
    pub key: &'static str,
    pub takes: PartContent,
    pub required: bool,
    pub doc: &'static str,
}

/// The content of a part.
#[derive(Clone, Copy)]
pub(crate) enum PartContent {
    /// One component of this kind.
    OneOf(&'static str),
    /// One component of this kind, and the keys of this section next to it.
    OneOfBeside(&'static str, &'static str),
    /// Components of this kind, in the order written.
    Several(&'static str),
    /// One table of this section.
    Table(&'static str),
    /// A list of tables of this section.
    List(&'static str),
    /// A list of tables of the first section, or one table of the second.
    ListOrTable(&'static str, &'static str),
    /// Tables of this section under names that the author chooses.
    Named(&'static str),
}

const fn part(key: &'static str, takes: PartContent, doc: &'static str) -> SectionPart {
    SectionPart { key, takes, required: false, doc }
}

const fn required(key: &'static str, takes: PartContent, doc: &'static str) -> SectionPart {
    SectionPart { key, takes, required: true, doc }
}

/// The parts of the port of a link, in either direction.
const PORT: [SectionPart; 12] = [
    part("rate-changes", PartContent::ListOrTable("rate-change", "rate-file"), "Changes of the rate at known instants, in ascending order of time; or a file with such changes, or with delivery times."),
    part("outages", PartContent::ListOrTable("outage", "random-outages"), "Outages: a list with times and durations, or one table for random ones."),
    part("aggregation", PartContent::Table("aggregation"), "Sends packets in aggregates that share the cost of an access to the channel."),
    part("scheduler", PartContent::OneOf("scheduler"), "Which queue sends next; `fifo` if left out."),
    part(
        "queue",
        PartContent::OneOf("discipline"),
        "The queue discipline; `tail-drop` with its defaults if left out. With a scheduler of classes, it applies to each class that has no `queue`.",
    ),
    part("class", PartContent::Named("class"), "Settings of each class, by name; only with a scheduler of classes."),
    part("policer", PartContent::OneOf("policer"), "Drops packets that exceed a profile, before the marker and the queue see them."),
    part("shaper", PartContent::OneOf("shaper"), "Delays packets until they conform to a profile, after the scheduler."),
    part("marker", PartContent::OneOfBeside("meter", "marker"), "A meter that writes its colours into the packets."),
    part("pcn", PartContent::Several("pcn-meter"), "PCN meters, which mark packets before the link is congested, in the order written; each sees the marks of those before it."),
    part("impairment", PartContent::Several("impairment"), "Impairments of the wire, such as losses and delays, in the order written."),
    part("parameter-changes", PartContent::List("parameter-change"), "Changes of parameters of components at known instants, in ascending order of time."),
];

/// The sections of a scenario; the first is the scenario as a whole.
pub(crate) const SECTIONS: &[SectionEntry] = &[
    SectionEntry {
        name: "scenario",
        path: "",
        doc: TopKeys::DOC,
        fields: TopKeys::FIELDS,
        parts: &[
            required("nodes", PartContent::Named("node"), "The nodes and groups of nodes, by name."),
            required("links", PartContent::List("link"), "The links."),
            part(
                "circuits",
                PartContent::List("circuit"),
                "Virtual circuits on cell links that several flows share, or that have a guaranteed rate.",
            ),
            part("flows", PartContent::List("flow"), "Traffic, in groups of like flows; there must be flows or calls."),
            part("calls", PartContent::List("calls"), "Traffic, in groups of like aggregates of calls."),
            part(
                "transfers",
                PartContent::List("transfers"),
                "Traffic, in groups of finite transfers that start at given or random times.",
            ),
            part("measure", PartContent::List("measure"), "The metrics that a run reports."),
            part("trace", PartContent::List("trace"), "Which events `penstock trace` keeps; all if left out."),
            part("series", PartContent::List("series"), "Which states `penstock series` shows over time."),
        ],
    },
    SectionEntry {
        name: "node",
        path: "nodes.NAME",
        doc: NodeKeys::DOC,
        fields: NodeKeys::FIELDS,
        parts: &[
            part(
                "buffer",
                PartContent::OneOf("buffer"),
                "How the node's ports share a buffer; if left out, only the limits of their queues apply.",
            ),
            part(
                "source-quench",
                PartContent::Table("source-quench"),
                "ICMP messages to the sources of packets that the node drops; none if left out.",
            ),
            part("pause", PartContent::Table("pause"), "When the ports that feed the node are paused; never if left out."),
            part(
                "congestion-point",
                PartContent::OneOf("congestion-point"),
                "Congestion messages about the queues of the node's ports to sources; none if left out.",
            ),
            part(
                "reaction-point",
                PartContent::OneOf("reaction-point"),
                "Rate limiters for packets that the node sends; none if left out.",
            ),
        ],
    },
    SectionEntry {
        name: "source-quench",
        path: "nodes.NAME.source-quench",
        doc: SourceQuenchKeys::DOC,
        fields: SourceQuenchKeys::FIELDS,
        parts: &[],
    },
    SectionEntry { name: "pause", path: "nodes.NAME.pause", doc: PauseKeys::DOC, fields: PauseKeys::FIELDS, parts: &[] },
    SectionEntry {
        name: "link",
        path: "links[]",
        doc: LinkKeys::DOC,
        fields: LinkKeys::FIELDS,
        parts: &[
            PORT[0],
            PORT[1],
            PORT[2],
            PORT[3],
            PORT[4],
            PORT[5],
            PORT[6],
            PORT[7],
            PORT[8],
            PORT[9],
            PORT[10],
            PORT[11],
            part(
                "back",
                PartContent::Table("back"),
                "The reverse link of `both-ways`: its rate and the components of its port; a plain queue if left out.",
            ),
        ],
    },
    SectionEntry {
        name: "rate-change",
        path: "links[].rate-changes[]",
        doc: RateChangeKeys::DOC,
        fields: RateChangeKeys::FIELDS,
        parts: &[],
    },
    SectionEntry {
        name: "parameter-change",
        path: "links[].parameter-changes[]",
        doc: ParameterChangeKeys::DOC,
        fields: ParameterChangeKeys::FIELDS,
        parts: &[],
    },
    SectionEntry { name: "rate-file", path: "links[].rate-changes", doc: RateFileKeys::DOC, fields: RateFileKeys::FIELDS, parts: &[] },
    SectionEntry { name: "outage", path: "links[].outages[]", doc: OutageKeys::DOC, fields: OutageKeys::FIELDS, parts: &[] },
    SectionEntry {
        name: "random-outages",
        path: "links[].outages",
        doc: RandomOutageKeys::DOC,
        fields: RandomOutageKeys::FIELDS,
        parts: &[],
    },
    SectionEntry {
        name: "aggregation",
        path: "links[].aggregation",
        doc: AggregationKeys::DOC,
        fields: AggregationKeys::FIELDS,
        parts: &[],
    },
    SectionEntry { name: "back", path: "links[].back", doc: BackKeys::DOC, fields: BackKeys::FIELDS, parts: &PORT },
    SectionEntry {
        name: "class",
        path: "links[].class.NAME",
        doc: "A class of a scheduler: a queue, or a scheduler with classes of its own.\n\n\
              Each scheduler declares the parameters of its classes, which its page lists. A class with a `scheduler` has classes too \
              (`class.data.class.web`), and its `queue` is then their default. The class of a packet names its queue; a class with a \
              scheduler is no queue and may have any name. Schedulers order classes by name where nothing else orders them.",
        // Parameters of all schedulers: see `class_parameters`.
        fields: &[],
        parts: &[
            part("queue", PartContent::OneOf("discipline"), "Its queue discipline; that of the link if left out."),
            part(
                "policer",
                PartContent::OneOf("policer"),
                "Drops packets of this class that exceed a profile; replaces the link's policer for them.",
            ),
            part("scheduler", PartContent::OneOf("scheduler"), "Which of the classes below sends next."),
            part("class", PartContent::Named("class"), "The classes of this class, if it has a scheduler."),
        ],
    },
    SectionEntry { name: "rate-limit", path: "links[].class.NAME.rate-limit", doc: RateLimit::DOC, fields: RateLimit::FIELDS, parts: &[] },
    SectionEntry { name: "marker", path: "links[].marker", doc: MarkerKeys::DOC, fields: MarkerKeys::FIELDS, parts: &[] },
    SectionEntry { name: "circuit", path: "circuits[]", doc: CircuitKeys::DOC, fields: CircuitKeys::FIELDS, parts: &[] },
    SectionEntry {
        name: "rate-request",
        path: "flows[].rate-requests[]",
        doc: RateRequestKeys::DOC,
        fields: RateRequestKeys::FIELDS,
        parts: &[],
    },
    SectionEntry {
        name: "flow",
        path: "flows[]",
        doc: FlowKeys::DOC,
        fields: FlowKeys::FIELDS,
        parts: &[
            required("source", PartContent::OneOf("source"), "What the application sends."),
            part(
                "transport",
                PartContent::OneOf("transport"),
                "The transport; `udp` if left out. `ftp` and `http` need a reliable one, such as `tcp`, which no other source can use.",
            ),
            part(
                "rate-requests",
                PartContent::List("rate-request"),
                "Requests for other rates, in ascending order of time; only for sources whose rate can change.",
            ),
            part(
                "parameter-changes",
                PartContent::List("parameter-change"),
                "Changes of parameters of the transport's components at known instants, in ascending order of time.",
            ),
        ],
    },
    SectionEntry {
        name: "transfers",
        path: "transfers[]",
        doc: TransferKeys::DOC,
        fields: TransferKeys::FIELDS,
        parts: &[part("transport", PartContent::OneOf("transport"), "The transport: `tcp`, which is also the default, or `roce`.")],
    },
    SectionEntry {
        name: "calls",
        path: "calls[]",
        doc: CallKeys::DOC,
        fields: CallKeys::FIELDS,
        parts: &[
            required("source", PartContent::OneOf("source"), "What each call sends: `cbr`, `poisson`, `on-off`, `codec-mix` or `video`."),
            part("transport", PartContent::OneOf("transport"), "The transport: `udp`, which is also the default."),
            part("arrivals", PartContent::OneOf("arrival"), "When calls arrive. If left out, none arrive, and initial calls are required."),
            part(
                "holding",
                PartContent::OneOf("holding"),
                "How long calls last. Without it, all calls last to the end of the run; required if there are no initial calls.",
            ),
            part("initial", PartContent::Table("initial"), "Calls that exist from the start, without admission control."),
            part(
                "surge",
                PartContent::Table("surge"),
                "Calls that begin together later, without admission control; only with initial calls.",
            ),
            part("delay", PartContent::Table("delay"), "Delay of packets from their source to the ingress; none if left out."),
            part("admission", PartContent::OneOf("admission"), "Which calls are admitted; all if left out."),
            part("termination", PartContent::OneOf("termination"), "Which calls are terminated early; none if left out."),
            part("signalling", PartContent::Table("signalling"), "How ingress and egress signal to each other."),
        ],
    },
    SectionEntry { name: "initial", path: "calls[].initial", doc: InitialKeys::DOC, fields: InitialKeys::FIELDS, parts: &[] },
    SectionEntry { name: "surge", path: "calls[].surge", doc: SurgeKeys::DOC, fields: SurgeKeys::FIELDS, parts: &[] },
    SectionEntry { name: "delay", path: "calls[].delay", doc: DelayPlan::DOC, fields: DelayPlan::FIELDS, parts: &[] },
    SectionEntry { name: "signalling", path: "calls[].signalling", doc: SignallingKeys::DOC, fields: SignallingKeys::FIELDS, parts: &[] },
    SectionEntry { name: "measure", path: "measure[]", doc: MeasureKeys::DOC, fields: MeasureKeys::FIELDS, parts: &[] },
    SectionEntry { name: "trace", path: "trace[]", doc: TraceKeys::DOC, fields: TraceKeys::FIELDS, parts: &[] },
    SectionEntry { name: "series", path: "series[]", doc: SeriesKeys::DOC, fields: SeriesKeys::FIELDS, parts: &[] },
];
