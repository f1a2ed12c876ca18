//! What waits at a TCP sender until all that was handed over has been acknowledged.

use crate::api::observations::Observations;
use crate::endpoints::http_user::HttpUser;
use crate::kernel::journal::Window;
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, Time};

/// What waits. A transfer without an end, or whose completion nobody asked for, has none.
pub enum Application {
    /// Asks for one page after the other.
    Web(Box<HttpUser>),
    /// Transfers one file.
    File(FileTransfer),
}

impl Application {
    /// Asks for more at `now`: how many segments it has.
    pub fn ask(&mut self, now: Time) -> u32 {
        match self {
            Application::Web(user) => user.ask(now),
            Application::File(_) => 0,
        }
    }

    /// Everything that was handed over has been acknowledged at `now`: when to ask for more, if ever.
    pub fn on_finished(&mut self, now: Time, window: Window) -> Option<Time> {
        match self {
            Application::Web(user) => user.on_finished(now, window),
            Application::File(file) => {
                file.on_finished(now, window);
                None
            }
        }
    }

    /// Hands over nothing more; what is under way counts no longer.
    pub fn stop(&mut self) {
        match self {
            Application::Web(user) => user.stop(),
            Application::File(file) => file.is_under_way = false,
        }
    }

    /// Writes how long it took into what was seen of `flow`.
    pub fn report(self, flow: FlowId, seen: &mut Observations) {
        match self {
            Application::Web(user) => seen.pages.push((flow, user.into_times())),
            Application::File(file) => seen.completions.extend(file.completion.map(|completion| (flow, completion))),
        }
    }
}

/// A file on its way.
pub struct FileTransfer {
    start: Time,
    is_under_way: bool,
    completion: Option<Duration>,
}

impl FileTransfer {
    /// One whose connection is opened at `start`.
    pub fn new(start: Time) -> FileTransfer {
        FileTransfer { start, is_under_way: true, completion: None }
    }

    fn on_finished(&mut self, now: Time, window: Window) {
        if std::mem::take(&mut self.is_under_way) && window.is_open(now) {
            self.completion = Some(now.since(self.start));
        }
    }
}
