//! The words that say how the values of a metric are aggregated.

use penstock_model::parameters::ListItem;

penstock_model::choice! {
    /// What one number covers.
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
    /// What a fairness compares.
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
        /// Their minimum.
        "min" => Min,
        /// Their maximum.
        "max" => Max,
    }
}
impl ListItem for Statistic {}

penstock_model::choice! {
    /// How the numbers of a link are split.
    pub enum SplitBy {
        /// By cause of the drop.
        "cause" => Cause,
        /// By drop precedence.
        "precedence" => Precedence,
        /// By traffic class, for the classes whose routes pass the link.
        "class" => Class,
        /// By the link on which packets arrived, or `here` for packets that start at the node of the link.
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
