//! The metrics, and the keys that say how their values are aggregated.

use penstock_model::parameters::ListItem;

penstock_model::choice! {
    /// What is measured, between the warm-up and the end.
    pub enum MetricKind {
        /// Bits per second: of a flow or an aggregate of calls those that arrived at its end, headers included; of a link those it has sent. A packet counts when its last bit does. With `interval` (calls only) one number per interval from the beginning of the run, warm-up included; the label `until` is its end in seconds, such as `0.5 s`, and a last interval that the end cuts short is left out.
        "throughput" => Throughput,
        /// Bits per second of payload that arrived at a flow's end, duplicates included.
        "payload-throughput" => PayloadThroughput,
        /// Bits per second of payload handed to a flow's application, each once.
        "goodput" => Goodput,
        /// Bits per second that a flow sent into the network, headers and retransmissions included.
        "sent" => Sent,
        /// One-way delay of the data packets that arrived, from their creation to the end of reception.
        "delay" => Delay,
        /// Jitter as RFC 2598 has it, |(aj - dj) - (ai - di)|: by how much the delays of two data packets differ that are numbered and arrive one after the other [RFC2598 A.3.1]. Pairs that a loss or an overtaking has torn apart have none.
        "jitter" => Jitter,
        /// The same difference with its sign, positive if the later packet took longer: IPDV with consecutive packets [RFC3393 s4.2].
        "ipdv" => Ipdv,
        /// The interarrival jitter that RTP receivers report, after each packet: J += (|D| - J)/16, D being the difference of its delay from that of the packet that arrived before it [RFC3550 s6.4.1]. It begins at zero when counting begins.
        "rtp-jitter" => RtpJitter,
        /// Time from asking for a page to its complete acknowledgement, of `http` flows, for the pages that were complete.
        "page-time" => PageTime,
        /// Time from the start of a transfer (its SYN) to its complete acknowledgement, of `ftp` flows with a `size`, for the transfers that were complete. Those that are unfinished when the run ends are left out: `transfers`, which is measured with it, counts them.
        "completion-time" => CompletionTime,
        /// Slowdown of a transfer: its `completion-time` over what it would take in an empty network [Alizadeh13 s5]. That is the sum of the links' delays and transmission times there and back for one packet, and of the transmission times of all further packets at the slowest link, after a round trip of packets without data where TCP opens with a SYN: no window holds back, nobody queues, nothing is lost, and the last packet is acknowledged at once. It is at least 1, and what slow start costs is part of it. A link whose rate changes counts with its highest. For the same transfers as `completion-time`.
        "slowdown" => Slowdown,
        /// Number of transfers with a size, by the label `what`: those that `arrived`, and of these the `finished` (the transfers of `completion-time` and `slowdown`) and the `unfinished`. A transfer arrives when its connection is opened, and is finished when its last byte is acknowledged; those finished in the warm-up are left out of all three. A transfer that its group's `stop` interrupts is unfinished. Measured with every `completion-time` and `slowdown`, by the same `sizes`, and in the default set of metrics.
        "transfers" => Transfers,
        /// Share of packets lost. Of a link: dropped / offered. Of a flow or an aggregate of calls: dropped / sent, of the packets that it sent while counting, wherever they were dropped before the end; those still under way then count as sent and not as lost, those sent in the warm-up not at all.
        "loss" => Loss,
        /// Packets lost. Of a link: those that it dropped; `by` splits them by cause and precedence. Of a flow or an aggregate of calls: those of the packets that it sent while counting that were dropped wherever before the end.
        "drops" => Drops,
        /// Packets offered to a link; `by` splits them by their precedence after marking.
        "offered" => Offered,
        /// Packets marked as having met congestion: by a link's queue, or arrived so at a flow's end.
        "marks" => Marks,
        /// Time average of the packets that wait at a link, without the one in service; with `sample`, also the mean, the standard deviation and the maximum of the samples (`sampled-max`, the longest queue that any of them found).
        "queue" => Queue,
        /// Time average of the bytes that wait at a link, without the packet in service.
        "queue-bytes" => QueueBytes,
        /// Time average of the packets at a link, the one in service included.
        "in-system" => InSystem,
        /// Time from a packet's acceptance by a link to the start of its transmission. With `per = "link"`, `min` and `max` are given where `take` names them.
        "wait" => Wait,
        /// By how much an aggregate of classes was served later than by a server of the configured `rate` R, in the worst case: the error terms of EF [RFC3246 s2.2]. By the label `error`: `a` lays the j-th departure to the j-th arrival (E_a), `p` each packet's departure to its own arrival (E_p); they differ only where `classes` names several. F_j = max(a_j, min(d_(j-1), F_(j-1))) + L_j/R, and the error is the greatest d_j - F_j of those that left while counting; negative if all were early. The recursion begins with the run; packets that were not sent are left out of it [RFC3246 s2.4].
        "ef-error" => EfError,
        /// Share of the time that a link was sending.
        "utilisation" => Utilisation,
        /// Jain's index (sum x)^2 / (n * sum x^2) of the throughputs x of all n flows that `of` names, or of groups of them with `between = "groups"`: 1 when all are equal, 1/n when one has everything.
        "fairness" => Fairness,
        /// Time to fairness: from the beginning of counting to the first bin from which on, in every bin up to the end of the run, the throughput of each flow that `of` names, or of each group with `between = "groups"`, is within `tolerance` of their mean in that bin. Bins are `interval` long, 10 ms if left out, and counted from the beginning of the run; those that are not wholly counted are left out. Not a number (`null` in JSON) if it is not reached.
        "time-to-fairness" => TimeToFairness,
        /// Data packets that a flow sent again.
        "retransmissions" => Retransmissions,
        /// Retransmissions that were lost themselves: those of the packets which a flow sent again while counting that were dropped, wherever, before the end.
        "lost-retransmissions" => LostRetransmissions,
        /// How often a TCP flow sent a segment a third time or later: retransmissions that had to be repeated, or were thought to.
        "repeated-retransmissions" => RepeatedRetransmissions,
        /// Retransmission timers of a flow that expired, those of its SYN included.
        "timeouts" => Timeouts,
        /// Share of packets that were marked: of flows and calls, marked / received; of a link, marked there / offered.
        "marking-ratio" => MarkingRatio,
        /// What became of calls, by the label `what`: calls that were `offered`, `admitted`, `blocked` and `terminated`, and the time average of those that were `live`. Initial calls are neither offered nor admitted; a call whose request is being answered when counting begins or ends is counted where it falls.
        "calls" => Calls,
        /// Share of calls that were refused: blocked / (blocked + admitted).
        "blocking" => Blocking,
        /// Bits per second of the packets that asked for calls which were then refused: blocked calls x `signalling.packet`. Only where requests travel as packets.
        "signal-rate" => SignalRate,
        /// Time until live calls x mean rate of a call, summed over all that `of` names, falls below the rate `below`; not a number if it never does. By the label `from`: since the `first-termination` and since the `start` (the latest of them). Only initial calls that last to the end, so that terminations tell how many live.
        "termination-time" => TerminationTime,
        /// The states of a link's marker and PCN meters, sampled each `sample` from one such time after the warm-up on. By the labels `meter` and `variable`: the tokens in a bucket (`fill`, or `committed-fill`, `excess-fill`, `peak-fill`; `switch-fill`, `marking-fill`, `fractional-fill`; below zero: debt) and the length of a virtual queue (`queue`) in bit, an estimated rate (`average-rate`) in bit/s, what picks a share of the packets (`count`) in packets or (`counter`) in bytes.
        "meter-state" => MeterState,
        /// Pause frames that a link carried to stop the ports at its end, those included that prolong a pause; those that resume are not.
        "pauses" => Pauses,
        /// Share of the time that a link was paused by the node that it feeds; where its classes are paused one by one, that of the class that was paused for the longest; `by` tells those of all.
        "paused-time" => PausedTime,
        /// Links whose pauses never lift, as each waits for the next in a circle (deadlock), at the end of the run: 1 for a link of the circle, 0 for others. A run that ends so has a row with the label `circle` whether it is asked for or not: its links in turn, with the classes that are paused.
        "deadlocked" => Deadlocked,
    }
}

penstock_model::choice! {
    /// What becomes one number.
    pub enum Grouping {
        /// A group of flows or links.
        "group" => Group,
        /// Every single flow.
        "flow" => Flow,
        /// All flows of a traffic class that `of` names, in whatever groups.
        "class" => Class,
        /// Every single link.
        "link" => Link,
    }
}

penstock_model::choice! {
    /// What is compared in a fairness.
    pub enum Between {
        /// Every single flow.
        "flows" => Flows,
        /// Groups of flows, each by the sum of its flows.
        "groups" => Groups,
    }
}

penstock_model::choice! {
    /// How the members of a group become one number.
    pub enum Statistic {
        /// Their sum.
        "sum" => Sum,
        /// Their mean.
        "mean" => Mean,
        /// The least of them.
        "min" => Min,
        /// The greatest of them.
        "max" => Max,
    }
}
impl ListItem for Statistic {}

penstock_model::choice! {
    /// How the numbers of a link are split.
    pub enum SplitBy {
        /// By what dropped them.
        "cause" => Cause,
        /// By their precedence.
        "precedence" => Precedence,
        /// By their traffic class; the classes whose routes pass the link.
        "class" => Class,
        /// By the link over which they came, `here` for what begins at the node of the link.
        "ingress" => Ingress,
        /// By circuit, at links of cells: the name of the circuit, or of the flow that has one of its own.
        "circuit" => Circuit,
    }
}
impl ListItem for SplitBy {}

penstock_model::choice! {
    /// The unit of a span of time.
    pub enum TimeUnit {
        /// In seconds.
        "second" => Second,
        /// In mean spacings of the source's packets, packet / rate; only for `cbr` flows.
        "packet-time" => PacketTime,
    }
}

/// What a metric applies to and how its values are aggregated.
pub(crate) struct MetricInfo {
    pub name: &'static str,
    pub unit: &'static str,
    pub flows: bool,
    pub calls: bool,
    pub links: bool,
    /// Allowed in `take`.
    pub take: &'static [Statistic],
    /// The default of `take`.
    pub default: &'static [Statistic],
    /// Allowed in `by`.
    pub split: &'static [SplitBy],
    /// May have `quantiles`.
    pub quantiles: bool,
}

impl MetricKind {
    /// All metrics.
    pub const ALL: [MetricKind; 37] = [
        MetricKind::Throughput,
        MetricKind::PayloadThroughput,
        MetricKind::Goodput,
        MetricKind::Sent,
        MetricKind::Delay,
        MetricKind::Jitter,
        MetricKind::Ipdv,
        MetricKind::RtpJitter,
        MetricKind::PageTime,
        MetricKind::CompletionTime,
        MetricKind::Slowdown,
        MetricKind::Transfers,
        MetricKind::Loss,
        MetricKind::Drops,
        MetricKind::Offered,
        MetricKind::Marks,
        MetricKind::Queue,
        MetricKind::QueueBytes,
        MetricKind::InSystem,
        MetricKind::Wait,
        MetricKind::EfError,
        MetricKind::Utilisation,
        MetricKind::Fairness,
        MetricKind::TimeToFairness,
        MetricKind::Retransmissions,
        MetricKind::LostRetransmissions,
        MetricKind::RepeatedRetransmissions,
        MetricKind::Timeouts,
        MetricKind::MarkingRatio,
        MetricKind::Calls,
        MetricKind::Blocking,
        MetricKind::SignalRate,
        MetricKind::TerminationTime,
        MetricKind::MeterState,
        MetricKind::Pauses,
        MetricKind::PausedTime,
        MetricKind::Deadlocked,
    ];

    pub(crate) fn info(self) -> MetricInfo {
        const ANY: &[Statistic] = &[Statistic::Sum, Statistic::Mean, Statistic::Min, Statistic::Max];
        const MEANS: &[Statistic] = &[Statistic::Mean, Statistic::Min, Statistic::Max];
        const SUM: &[Statistic] = &[Statistic::Sum];
        const MEAN: &[Statistic] = &[Statistic::Mean];
        const EXTREMES: &[Statistic] = &[Statistic::Mean, Statistic::Max];
        // Whether it applies to flows, to calls and to links.
        const ALL: [bool; 3] = [true, true, true];
        const ENDS: [bool; 3] = [true, true, false];
        const FLOWS: [bool; 3] = [true, false, false];
        const CALLS: [bool; 3] = [false, true, false];
        const LINKS: [bool; 3] = [false, false, true];
        const NONE: &[Statistic] = &[];
        const SIGNED: &[Statistic] = &[Statistic::Mean, Statistic::Min, Statistic::Max];
        const WORST: &[Statistic] = &[Statistic::Max];
        let quantiles = matches!(
            self,
            MetricKind::Delay
                | MetricKind::Jitter
                | MetricKind::Ipdv
                | MetricKind::PageTime
                | MetricKind::CompletionTime
                | MetricKind::Slowdown
                | MetricKind::Wait
        );
        let (name, unit, [flows, calls, links], take, default) = match self {
            MetricKind::Throughput => ("throughput", "bit/s", ALL, ANY, SUM),
            MetricKind::PayloadThroughput => ("payload-throughput", "bit/s", ENDS, ANY, SUM),
            MetricKind::Goodput => ("goodput", "bit/s", ENDS, ANY, SUM),
            MetricKind::Sent => ("sent", "bit/s", ENDS, ANY, SUM),
            MetricKind::Delay => ("delay", "s", ENDS, EXTREMES, EXTREMES),
            MetricKind::Jitter => ("jitter", "s", FLOWS, EXTREMES, EXTREMES),
            MetricKind::Ipdv => ("ipdv", "s", FLOWS, SIGNED, SIGNED),
            MetricKind::RtpJitter => ("rtp-jitter", "s", FLOWS, EXTREMES, EXTREMES),
            MetricKind::PageTime => ("page-time", "s", FLOWS, EXTREMES, EXTREMES),
            MetricKind::CompletionTime => ("completion-time", "s", FLOWS, MEANS, EXTREMES),
            MetricKind::Slowdown => ("slowdown", "1", FLOWS, MEANS, EXTREMES),
            MetricKind::Transfers => ("transfers", "transfers", FLOWS, SUM, SUM),
            MetricKind::Loss => ("loss", "1", ALL, MEANS, MEAN),
            MetricKind::Drops => ("drops", "packets", ALL, ANY, SUM),
            MetricKind::Offered => ("offered", "packets", LINKS, ANY, SUM),
            MetricKind::Marks => ("marks", "packets", ALL, ANY, SUM),
            MetricKind::Queue => ("queue", "packets", LINKS, ANY, MEAN),
            MetricKind::QueueBytes => ("queue-bytes", "bytes", LINKS, ANY, MEAN),
            MetricKind::InSystem => ("in-system", "packets", LINKS, ANY, MEAN),
            MetricKind::Wait => ("wait", "s", LINKS, MEANS, MEAN),
            MetricKind::EfError => ("ef-error", "s", LINKS, WORST, WORST),
            MetricKind::Utilisation => ("utilisation", "1", LINKS, MEANS, MEAN),
            MetricKind::Fairness => ("fairness", "1", ENDS, NONE, NONE),
            MetricKind::TimeToFairness => ("time-to-fairness", "s", FLOWS, NONE, NONE),
            MetricKind::Retransmissions => ("retransmissions", "packets", FLOWS, ANY, SUM),
            MetricKind::LostRetransmissions => ("lost-retransmissions", "packets", FLOWS, ANY, SUM),
            MetricKind::RepeatedRetransmissions => ("repeated-retransmissions", "packets", FLOWS, ANY, SUM),
            MetricKind::Timeouts => ("timeouts", "timeouts", FLOWS, ANY, SUM),
            MetricKind::MarkingRatio => ("marking-ratio", "1", ALL, MEANS, MEAN),
            MetricKind::Calls => ("calls", "calls", CALLS, ANY, SUM),
            MetricKind::Blocking => ("blocking", "1", CALLS, MEANS, MEAN),
            MetricKind::SignalRate => ("signal-rate", "bit/s", CALLS, ANY, SUM),
            MetricKind::TerminationTime => ("termination-time", "s", CALLS, NONE, NONE),
            // The unit is that of the variable.
            MetricKind::MeterState => ("meter-state", "bit, bit/s, bytes or packets", LINKS, MEANS, MEANS),
            MetricKind::Pauses => ("pauses", "frames", LINKS, ANY, SUM),
            MetricKind::PausedTime => ("paused-time", "1", LINKS, MEANS, MEAN),
            MetricKind::Deadlocked => ("deadlocked", "links", LINKS, SUM, SUM),
        };
        let split: &[SplitBy] = match self {
            MetricKind::Drops => &[SplitBy::Cause, SplitBy::Precedence, SplitBy::Class, SplitBy::Ingress],
            MetricKind::Offered => &[SplitBy::Precedence, SplitBy::Class, SplitBy::Ingress],
            MetricKind::Queue | MetricKind::QueueBytes => &[SplitBy::Class, SplitBy::Circuit],
            MetricKind::EfError | MetricKind::MeterState | MetricKind::Pauses | MetricKind::Deadlocked => &[],
            _ if links => &[SplitBy::Class],
            _ => &[],
        };
        MetricInfo { name, unit, flows, calls, links, take, default, split, quantiles }
    }

    /// What its statistics are over, in a sentence; empty where it has none.
    pub(crate) fn statistics(self) -> &'static str {
        match self {
            MetricKind::Delay | MetricKind::RtpJitter => "Statistics are over the packets of all flows together.",
            MetricKind::Jitter | MetricKind::Ipdv => "Statistics are over the pairs of packets of all flows together.",
            MetricKind::PageTime => "Statistics are over the pages of all flows together.",
            MetricKind::CompletionTime | MetricKind::Slowdown => "Statistics are over finished transfers.",
            MetricKind::Wait => "Statistics are over the packets of all links together.",
            MetricKind::EfError => "The maximum is over the packets of all links together.",
            MetricKind::MeterState => "Statistics are over the samples of all links together.",
            MetricKind::Loss | MetricKind::MarkingRatio => {
                "The mean is over all packets together; `min` and `max` are over flows, aggregates or links, each with its share."
            }
            MetricKind::Blocking => "The mean is over all calls together; `min` and `max` are over aggregates, each with its share.",
            MetricKind::Queue | MetricKind::QueueBytes | MetricKind::InSystem | MetricKind::Utilisation | MetricKind::PausedTime => {
                "Statistics are over links, each with its average over time: of a single link all are that average."
            }
            MetricKind::Transfers | MetricKind::Fairness | MetricKind::TimeToFairness | MetricKind::TerminationTime => "",
            MetricKind::Deadlocked => "The sum is over links.",
            MetricKind::Throughput
            | MetricKind::PayloadThroughput
            | MetricKind::Goodput
            | MetricKind::Sent
            | MetricKind::Drops
            | MetricKind::Offered
            | MetricKind::Marks
            | MetricKind::Retransmissions
            | MetricKind::LostRetransmissions
            | MetricKind::RepeatedRetransmissions
            | MetricKind::Timeouts
            | MetricKind::Calls
            | MetricKind::SignalRate
            | MetricKind::Pauses => "Statistics are over flows, aggregates or links, each with one number for the whole run.",
        }
    }

    /// Whether its statistics are averages over time of links, so that those of one link are all the same.
    pub(crate) fn is_time_average(self) -> bool {
        matches!(self, MetricKind::Queue | MetricKind::QueueBytes | MetricKind::InSystem)
    }

    /// Whether its statistics are taken over packets, pages or transfers, and so are told by label also for a single flow.
    pub(crate) fn is_over_packets(self) -> bool {
        matches!(
            self,
            MetricKind::Delay
                | MetricKind::Jitter
                | MetricKind::Ipdv
                | MetricKind::RtpJitter
                | MetricKind::PageTime
                | MetricKind::CompletionTime
                | MetricKind::Slowdown
        )
    }

    /// Whether it is a share or an index between 0 and 1, so that an interval of it has to stay there.
    pub(crate) fn is_ratio(self) -> bool {
        matches!(
            self,
            MetricKind::Loss
                | MetricKind::Utilisation
                | MetricKind::PausedTime
                | MetricKind::Fairness
                | MetricKind::MarkingRatio
                | MetricKind::Blocking
        )
    }

    /// Whether it is of transfers with a size, and so may be split by it.
    pub(crate) fn is_of_transfers(self) -> bool {
        matches!(self, MetricKind::CompletionTime | MetricKind::Slowdown | MetricKind::Transfers)
    }

    /// Whether its unit may be the packet time.
    pub(crate) fn is_span_of_packets(self) -> bool {
        matches!(self, MetricKind::Delay | MetricKind::Jitter | MetricKind::Ipdv | MetricKind::RtpJitter)
    }
}

impl Statistic {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Statistic::Sum => "sum",
            Statistic::Mean => "mean",
            Statistic::Min => "min",
            Statistic::Max => "max",
        }
    }
}

impl SplitBy {
    pub(crate) fn word(self) -> &'static str {
        match self {
            SplitBy::Cause => "cause",
            SplitBy::Precedence => "precedence",
            SplitBy::Class => "class",
            SplitBy::Ingress => "ingress",
            SplitBy::Circuit => "circuit",
        }
    }
}

impl Grouping {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Grouping::Group => "group",
            Grouping::Flow => "flow",
            Grouping::Class => "class",
            Grouping::Link => "link",
        }
    }
}
