//! Time series: the state of ports, flows and their components, at regular instants or whenever it changes.

use penstock_model::id::{FlowId, LinkId, NodeId};
use penstock_model::probe::Variable;
use penstock_model::units::{Duration, Time};

/// The variables to be observed of one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesPlan {
    /// Of what.
    pub of: SeriesSubject,
    /// Names of variables, each of one component or, where none is named, of all that have it.
    pub what: Vec<(Option<ComponentName>, &'static str)>,
    /// At which instants.
    pub sampling: Sampling,
    /// The first instant.
    pub from: Time,
    /// No instant is later.
    pub until: Time,
}

/// What has a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesSubject {
    /// The port of a link.
    Link(LinkId),
    /// The sending end of a flow.
    Sender(FlowId),
    /// The receiving end of a flow.
    Receiver(FlowId),
    /// What the ports of a switch, or of a station, share.
    Node(NodeId),
}

/// The instants at which a state is read. It is read after all events of that instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// At regular intervals.
    Every(Duration),
    /// Whenever it has changed. What changes with time alone, as the fill of a bucket does, is read when a packet comes or goes.
    OnChange,
    /// When [`Sim::read_series`](crate::Sim::read_series) asks; rates describe the time since it asked last.
    OnRequest,
}

/// A component as a scenario names it: `queue.red` is the kind `queue` and the name `red`. Ports and flows themselves have no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentName {
    /// Its key.
    pub kind: &'static str,
    /// Its own name.
    pub name: &'static str,
}

/// Which of several alike a variable belongs to; nothing where there is one only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesPart {
    /// A class.
    pub class: Option<SeriesClass>,
    /// The number of a precedence, a meter or a queue of flows.
    pub number: Option<u32>,
}

impl SeriesPart {
    /// There is one only.
    pub const WHOLE: SeriesPart = SeriesPart { class: None, number: None };

    /// That of a class.
    pub fn of(class: SeriesClass) -> SeriesPart {
        SeriesPart { class: Some(class), number: None }
    }
}

/// A class, as a port knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeriesClass {
    /// A class of the traffic.
    Traffic(u32),
    /// A queue of the port, which may be that of several classes.
    Queue(u32),
    /// A class in a tree of schedulers, where each is counted before those below it.
    OfTree(u32),
}

/// One value of a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesRow {
    /// When.
    pub time: Time,
    /// By which plan: a position among them.
    pub plan: u32,
    /// The component.
    pub component: ComponentName,
    /// Its number among several.
    pub part: SeriesPart,
    /// Which variable.
    pub variable: &'static Variable,
    /// What it was.
    pub value: f64,
}
