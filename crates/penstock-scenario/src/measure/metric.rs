//! The metrics, and the words that say how they are put together.

use penstock_model::parameters::ListItem;

penstock_model::choice! {
    /// What is measured, between the warm-up and the end.
    pub enum What {
        /// Bits per second: of a flow or an aggregate of calls those that arrived at its end, headers included; of a link those it has sent. A packet counts when its last bit does. With `interval` (calls only) one number per interval from the beginning of the run, warm-up included; the label `until` tells where it ends, and a last interval that the end cuts short is left out.
        "throughput" => Throughput,
        /// Bits per second of payload that arrived at a flow's end, duplicates included.
        "payload-throughput" => PayloadThroughput,
        /// Bits per second of payload handed to a flow's application, each once.
        "goodput" => Goodput,
        /// Bits per second that a flow sent into the network, headers and retransmissions included.
        "sent" => Sent,
        /// One-way delay of the data packets that arrived, from their creation to the end of reception; all statistics are over packets.
        "delay" => Delay,
        /// Jitter as RFC 2598 has it, |(aj - dj) - (ai - di)|: by how much the delays of two data packets differ that are numbered and arrive one after the other [RFC2598 A.3.1]. Pairs that a loss or an overtaking has torn apart have none.
        "jitter" => Jitter,
        /// The same difference with its sign, positive if the later packet took longer: IPDV with consecutive packets [RFC3393 s4.2].
        "ipdv" => Ipdv,
        /// The interarrival jitter that RTP receivers report, after each packet: J += (|D| - J)/16, D being the difference of its delay from that of the packet that arrived before it [RFC3550 s6.4.1]. It begins at zero when counting begins.
        "rtp-jitter" => RtpJitter,
        /// Time from asking for a page to its complete acknowledgement, of `http` flows, for the pages that were complete.
        "page-time" => PageTime,
        /// Time from the start of a transfer (its SYN) to its complete acknowledgement, of `ftp` flows with a `size`, for the transfers that were complete; all statistics are over transfers. Those that are under way when the run ends are left out, so that it should outlast them.
        "completion-time" => CompletionTime,
        /// Share of packets lost. Of a link: dropped / offered. Of a flow: (sent - received) / sent, never below zero; packets under way when counting begins or ends make it inexact by their number / sent. The mean is over all packets together.
        "loss" => Loss,
        /// Packets lost at a link; `by` splits them by cause and precedence.
        "drops" => Drops,
        /// Packets offered to a link; `by` splits them by their precedence after marking.
        "offered" => Offered,
        /// Packets marked as having met congestion: by a link's queue, or arrived so at a flow's end.
        "marks" => Marks,
        /// Time average of the packets that wait at a link, without the one in service; with `sample`, also the mean and the maximum of the samples.
        "queue" => Queue,
        /// Time average of the bytes that wait at a link, without the packet in service.
        "queue-bytes" => QueueBytes,
        /// Time average of the packets at a link, the one in service included.
        "in-system" => InSystem,
        /// Time from a packet's acceptance by a link to the start of its transmission; the mean is over all packets together.
        "wait" => Wait,
        /// By how much an aggregate of classes was served later than by a server of the configured `rate` R, in the worst case: the error terms of EF [RFC3246 s2.2]. By the label `error`: `a` lays the j-th departure to the j-th arrival (E_a), `p` each packet's departure to its own arrival (E_p); they differ only where `classes` names several. F_j = max(a_j, min(d_(j-1), F_(j-1))) + L_j/R, and the error is the greatest d_j - F_j of those that left while counting; negative if all were early. The recursion begins with the run; packets that were not sent are left out of it [RFC3246 s2.4].
        "ef-error" => EfError,
        /// Share of the time that a link was sending.
        "utilisation" => Utilisation,
        /// Jain's index (sum x)^2 / (n * sum x^2) of the throughputs x of all n flows that `of` names: 1 when all are equal, 1/n when one has everything.
        "fairness" => Fairness,
        /// Data packets that a flow sent again.
        "retransmissions" => Retransmissions,
        /// Share of packets that were marked: of flows and calls, marked / received; of a link, marked there / offered. The mean is over all packets together.
        "marking-ratio" => MarkingRatio,
        /// What became of calls, by the label `what`: calls that were `offered`, `admitted`, `blocked` and `terminated`, and the time average of those that were `live`. Initial calls are neither offered nor admitted; a call whose answer is under way when counting begins or ends is counted where it falls.
        "calls" => Calls,
        /// Share of calls that were refused: blocked / (blocked + admitted). The mean is over all calls together.
        "blocking" => Blocking,
        /// Bits per second of the packets that asked for calls which were then refused: blocked calls x `signalling.packet`. Only where requests travel as packets.
        "signal-rate" => SignalRate,
        /// Time until live calls x mean rate of a call, summed over all that `of` names, falls below the rate `below`; not a number if it never does. By the label `from`: since the `first-termination` and since the `start` (the latest of them). Only initial calls that last to the end, so that terminations tell how many live.
        "termination-time" => TerminationTime,
        /// The states of a link's marker and PCN meters, sampled each `sample` from one such time after the warm-up on; over all samples, and over all links of a group. By the labels `meter` and `variable`: the tokens in a bucket (`fill`, or `committed-fill`, `excess-fill`, `peak-fill`; `switch-fill`, `marking-fill`, `fractional-fill`; below zero: debt) and the length of a virtual queue (`queue`) in bit, an estimated rate (`average-rate`) in bit/s, what picks a share of the packets (`count`) in packets or (`counter`) in bytes.
        "meter-state" => MeterState,
    }
}

penstock_model::choice! {
    /// What becomes one number.
    pub enum Per {
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
    /// How the members of a group become one number.
    pub enum Take {
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
impl ListItem for Take {}

penstock_model::choice! {
    /// How the numbers of a link are split.
    pub enum By {
        /// By what dropped them.
        "cause" => Cause,
        /// By their precedence.
        "precedence" => Precedence,
        /// By their traffic class; the classes whose routes pass the link.
        "class" => Class,
    }
}
impl ListItem for By {}

penstock_model::choice! {
    /// In what a span of time is told.
    pub enum In {
        /// In seconds.
        "second" => Second,
        /// In mean spacings of the source's packets, packet / rate; only for `cbr` flows.
        "packet-time" => PacketTime,
    }
}

/// What a metric applies to and how it is put together.
pub(crate) struct Info {
    pub name: &'static str,
    pub unit: &'static str,
    pub flows: bool,
    pub calls: bool,
    pub links: bool,
    /// Allowed in `take`.
    pub take: &'static [Take],
    /// Taken if nothing is said.
    pub default: &'static [Take],
    /// Allowed in `by`.
    pub split: &'static [By],
    /// May have `quantiles`.
    pub quantiles: bool,
}

impl What {
    /// All metrics.
    pub const ALL: [What; 28] = [
        What::Throughput,
        What::PayloadThroughput,
        What::Goodput,
        What::Sent,
        What::Delay,
        What::Jitter,
        What::Ipdv,
        What::RtpJitter,
        What::PageTime,
        What::CompletionTime,
        What::Loss,
        What::Drops,
        What::Offered,
        What::Marks,
        What::Queue,
        What::QueueBytes,
        What::InSystem,
        What::Wait,
        What::EfError,
        What::Utilisation,
        What::Fairness,
        What::Retransmissions,
        What::MarkingRatio,
        What::Calls,
        What::Blocking,
        What::SignalRate,
        What::TerminationTime,
        What::MeterState,
    ];

    pub(crate) fn info(self) -> Info {
        const ANY: &[Take] = &[Take::Sum, Take::Mean, Take::Min, Take::Max];
        const MEANS: &[Take] = &[Take::Mean, Take::Min, Take::Max];
        const SUM: &[Take] = &[Take::Sum];
        const MEAN: &[Take] = &[Take::Mean];
        const EXTREMES: &[Take] = &[Take::Mean, Take::Max];
        // Whether it applies to flows, to calls and to links.
        const ALL: [bool; 3] = [true, true, true];
        const ENDS: [bool; 3] = [true, true, false];
        const FLOWS: [bool; 3] = [true, false, false];
        const CALLS: [bool; 3] = [false, true, false];
        const LINKS: [bool; 3] = [false, false, true];
        const NONE: &[Take] = &[];
        const SIGNED: &[Take] = &[Take::Mean, Take::Min, Take::Max];
        const WORST: &[Take] = &[Take::Max];
        let quantiles = matches!(self, What::Delay | What::Jitter | What::Ipdv | What::PageTime | What::CompletionTime | What::Wait);
        let (name, unit, [flows, calls, links], take, default) = match self {
            What::Throughput => ("throughput", "bit/s", ALL, ANY, SUM),
            What::PayloadThroughput => ("payload-throughput", "bit/s", ENDS, ANY, SUM),
            What::Goodput => ("goodput", "bit/s", ENDS, ANY, SUM),
            What::Sent => ("sent", "bit/s", ENDS, ANY, SUM),
            What::Delay => ("delay", "s", ENDS, EXTREMES, EXTREMES),
            What::Jitter => ("jitter", "s", FLOWS, EXTREMES, EXTREMES),
            What::Ipdv => ("ipdv", "s", FLOWS, SIGNED, SIGNED),
            What::RtpJitter => ("rtp-jitter", "s", FLOWS, EXTREMES, EXTREMES),
            What::PageTime => ("page-time", "s", FLOWS, EXTREMES, EXTREMES),
            What::CompletionTime => ("completion-time", "s", FLOWS, MEANS, EXTREMES),
            What::Loss => ("loss", "1", ALL, MEANS, MEAN),
            What::Drops => ("drops", "packets", LINKS, ANY, SUM),
            What::Offered => ("offered", "packets", LINKS, ANY, SUM),
            What::Marks => ("marks", "packets", ALL, ANY, SUM),
            What::Queue => ("queue", "packets", LINKS, ANY, MEAN),
            What::QueueBytes => ("queue-bytes", "bytes", LINKS, ANY, MEAN),
            What::InSystem => ("in-system", "packets", LINKS, ANY, MEAN),
            What::Wait => ("wait", "s", LINKS, MEANS, MEAN),
            What::EfError => ("ef-error", "s", LINKS, WORST, WORST),
            What::Utilisation => ("utilisation", "1", LINKS, MEANS, MEAN),
            What::Fairness => ("fairness", "1", ENDS, NONE, NONE),
            What::Retransmissions => ("retransmissions", "packets", FLOWS, ANY, SUM),
            What::MarkingRatio => ("marking-ratio", "1", ALL, MEANS, MEAN),
            What::Calls => ("calls", "calls", CALLS, ANY, SUM),
            What::Blocking => ("blocking", "1", CALLS, MEANS, MEAN),
            What::SignalRate => ("signal-rate", "bit/s", CALLS, ANY, SUM),
            What::TerminationTime => ("termination-time", "s", CALLS, NONE, NONE),
            // The unit is that of the variable.
            What::MeterState => ("meter-state", "bit, bit/s, bytes or packets", LINKS, MEANS, MEANS),
        };
        let split: &[By] = match self {
            What::Drops => &[By::Cause, By::Precedence, By::Class],
            What::Offered => &[By::Precedence, By::Class],
            What::EfError | What::MeterState => &[],
            _ if links => &[By::Class],
            _ => &[],
        };
        Info { name, unit, flows, calls, links, take, default, split, quantiles }
    }

    /// Whether its statistics are taken over packets, pages or transfers, and so are told by label also for a single flow.
    pub(crate) fn is_over_packets(self) -> bool {
        matches!(self, What::Delay | What::Jitter | What::Ipdv | What::RtpJitter | What::PageTime | What::CompletionTime)
    }

    /// Whether it may be told in packet times.
    pub(crate) fn is_span_of_packets(self) -> bool {
        matches!(self, What::Delay | What::Jitter | What::Ipdv | What::RtpJitter)
    }
}

impl Take {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Take::Sum => "sum",
            Take::Mean => "mean",
            Take::Min => "min",
            Take::Max => "max",
        }
    }
}

impl By {
    pub(crate) fn word(self) -> &'static str {
        match self {
            By::Cause => "cause",
            By::Precedence => "precedence",
            By::Class => "class",
        }
    }
}

impl Per {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Per::Group => "group",
            Per::Flow => "flow",
            Per::Class => "class",
            Per::Link => "link",
        }
    }
}
