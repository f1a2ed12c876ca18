//! Applications of senders that wait until all their data has been acknowledged: web users and file transfers.

use crate::api::observations::{Completion, Observations, PageTimes, UnfinishedTransfer};
use crate::kernel::journal::Measurement;
use penstock_model::id::FlowId;
use penstock_model::rng::{Key, Stream};
use penstock_model::source::http::{Http, Parameters};
use penstock_model::stats::distribution::Distribution;
use penstock_model::units::Time;

/// Such an application. A transfer without an end, or whose completion is not recorded, needs none.
#[derive(Clone)]
pub struct Application {
    /// When the present page or file was requested; none while a user thinks, and once the application has stopped.
    requested: Option<Time>,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    /// Requests one page after another, with think times in between.
    Web(Box<WebUser>),
    /// Transfers one file.
    File { start: Time, bytes: u64, completed: Option<Time> },
}

#[derive(Clone)]
struct WebUser {
    model: Http,
    sizes: Stream,
    thinking: Stream,
    /// Bytes of a segment without headers.
    payload: u64,
    stopped: bool,
    times: PageTimes,
}

impl Application {
    /// The transfer of a file of this size, in bytes; its connection is opened at `start`.
    pub fn file(start: Time, bytes: u64) -> Application {
        Application { requested: Some(start), kind: Kind::File { start, bytes, completed: None } }
    }

    /// A web user whose streams hang below `key`; `distribution` keeps every page's time for quantiles.
    pub fn web(model: &Parameters, key: Key, payload: u64, distribution: bool) -> Application {
        let user = WebUser {
            model: Http::new(model),
            sizes: key.child("pages").stream(),
            thinking: key.child("think").stream(),
            payload,
            stopped: false,
            times: PageTimes { distribution: distribution.then(Distribution::default), ..PageTimes::default() },
        };
        Application { requested: None, kind: Kind::Web(Box::new(user)) }
    }

    /// Requests a page at `now`: how many segments it has; none of a file, or once the user has stopped.
    pub fn next_segments(&mut self, now: Time) -> u32 {
        let Kind::Web(user) = &mut self.kind else { return 0 };
        if user.stopped {
            return 0;
        }
        self.requested = Some(now);
        let page = user.model.next_page(&mut user.sizes);
        u32::try_from(page.div_ceil(user.payload)).unwrap_or(u32::MAX)
    }

    /// Returns whether the data offered next begins with the window of a new connection.
    pub fn begins_anew(&self) -> bool {
        matches!(&self.kind, Kind::Web(user) if user.model.begins_anew())
    }

    /// Records that all data has been acknowledged at `now`; returns when more is offered, if ever.
    pub fn on_finished(&mut self, now: Time, measured: Measurement) -> Option<Time> {
        let time = now.since(self.requested.take()?);
        match &mut self.kind {
            Kind::Web(user) => {
                if measured.is_open(now) {
                    user.times.count(time);
                }
                Some(now + user.model.think(&mut user.thinking))
            }
            Kind::File { completed, .. } => {
                *completed = Some(now);
                None
            }
        }
    }

    /// Offers nothing more.
    pub fn stop(&mut self) {
        self.requested = None;
        if let Kind::Web(user) = &mut self.kind {
            user.stopped = true;
        }
    }

    /// Writes the times of `flow` into the observations.
    pub fn report(self, flow: FlowId, observations: &mut Observations) {
        match self.kind {
            Kind::Web(user) => observations.pages.push((flow, user.times)),
            Kind::File { start, bytes, completed: None } => observations.unfinished.push((flow, UnfinishedTransfer { start, bytes })),
            Kind::File { start, bytes, completed: Some(at) } if observations.from <= at => {
                observations.completions.push((flow, Completion { time: at.since(start), bytes }));
            }
            Kind::File { .. } => {} // complete before counting began
        }
    }
}
