//! Applications of TCP senders that wait until all their data has been acknowledged: web users and file transfers.

use crate::api::observations::{Completion, Observations, UnfinishedTransfer};
use crate::endpoints::http_user::HttpUser;
use crate::kernel::journal::Measurement;
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, Time};

/// Such an application. A transfer without an end, or whose completion is not recorded, needs none.
#[derive(Clone)]
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
    pub fn on_finished(&mut self, now: Time, measured: Measurement) -> Option<Time> {
        match self {
            Application::Web(user) => user.on_finished(now, measured),
            Application::File(file) => {
                file.on_finished(now, measured);
                None
            }
        }
    }

    /// Offers nothing more; an incomplete transfer stays unfinished.
    pub fn stop(&mut self) {
        match self {
            Application::Web(user) => user.stop(),
            Application::File(file) => file.on_stop(),
        }
    }

    /// Writes the times of `flow` into the observations.
    pub fn report(self, flow: FlowId, observations: &mut Observations) {
        match self {
            Application::Web(user) => observations.pages.push((flow, user.into_times())),
            Application::File(FileTransfer { start, bytes, unloaded, progress }) => match progress {
                Progress::Complete(time) => observations.completions.push((flow, Completion { time, bytes, unloaded })),
                Progress::CompleteBefore => {}
                Progress::Open | Progress::Stopped => observations.unfinished.push((flow, UnfinishedTransfer { start, bytes })),
            },
        }
    }
}

/// A file transfer.
#[derive(Clone)]
pub struct FileTransfer {
    start: Time,
    bytes: u64,
    unloaded: Duration,
    progress: Progress,
}

/// How far a file transfer has come.
#[derive(Clone)]
enum Progress {
    /// Not everything has been acknowledged.
    Open,
    /// Stopped before that; what is acknowledged later no longer counts.
    Stopped,
    /// Complete before counting began.
    CompleteBefore,
    /// Complete in the measurement period, after this time.
    Complete(Duration),
}

impl FileTransfer {
    /// One of so many bytes whose connection is opened at `start`, and which takes `unloaded` in an empty network.
    pub fn new(start: Time, bytes: u64, unloaded: Duration) -> FileTransfer {
        FileTransfer { start, bytes, unloaded, progress: Progress::Open }
    }

    fn on_finished(&mut self, now: Time, measured: Measurement) {
        if matches!(self.progress, Progress::Open) {
            self.progress = if measured.is_open(now) { Progress::Complete(now.since(self.start)) } else { Progress::CompleteBefore };
        }
    }

    fn on_stop(&mut self) {
        if matches!(self.progress, Progress::Open) {
            self.progress = Progress::Stopped;
        }
    }
}
