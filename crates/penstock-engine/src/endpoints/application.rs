//! Applications of TCP senders that wait until all their data has been acknowledged: web users and file transfers.

use crate::api::observations::{Completion, Observations};
use crate::endpoints::http_user::HttpUser;
use crate::kernel::journal::Window;
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, Time};

/// Such an application. A transfer without an end, or whose completion is not recorded, needs none.
pub enum Application {
    /// Requests one page after another.
    Web(Box<HttpUser>),
    /// Transfers one file.
    File(FileTransfer),
}

impl Application {
    /// Offers more data at `now`: how many segments.
    pub fn next_segments(&mut self, now: Time) -> u32 {
        match self {
            Application::Web(user) => user.next_page(now),
            Application::File(_) => 0,
        }
    }

    /// Whether what is offered next begins with the window of a new connection.
    pub fn begins_anew(&self) -> bool {
        matches!(self, Application::Web(user) if user.begins_anew())
    }

    /// All data has been acknowledged at `now`: when more is offered, if ever.
    pub fn on_finished(&mut self, now: Time, window: Window) -> Option<Time> {
        match self {
            Application::Web(user) => user.on_finished(now, window),
            Application::File(file) => {
                file.on_finished(now, window);
                None
            }
        }
    }

    /// Offers nothing more; a transfer that is not complete is not counted.
    pub fn stop(&mut self) {
        match self {
            Application::Web(user) => user.stop(),
            Application::File(file) => file.is_incomplete = false,
        }
    }

    /// Writes the times of `flow` into the observations.
    pub fn report(self, flow: FlowId, observations: &mut Observations) {
        match self {
            Application::Web(user) => observations.pages.push((flow, user.into_times())),
            Application::File(FileTransfer { bytes, unloaded, completion, .. }) => {
                let completion = completion.map(|time| (flow, Completion { time, bytes, unloaded }));
                observations.completions.extend(completion);
            }
        }
    }
}

/// A file transfer.
pub struct FileTransfer {
    start: Time,
    is_incomplete: bool,
    bytes: u64,
    unloaded: Duration,
    completion: Option<Duration>,
}

impl FileTransfer {
    /// One of so many bytes whose connection is opened at `start`, and which takes `unloaded` in an empty network.
    pub fn new(start: Time, bytes: u64, unloaded: Duration) -> FileTransfer {
        FileTransfer { start, is_incomplete: true, bytes, unloaded, completion: None }
    }

    fn on_finished(&mut self, now: Time, window: Window) {
        if std::mem::take(&mut self.is_incomplete) && window.is_open(now) {
            self.completion = Some(now.since(self.start));
        }
    }
}
