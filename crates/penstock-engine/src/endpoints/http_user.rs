//! A web user: requests pages of a TCP sender, with think times in between.

use crate::api::observations::PageTimes;
use crate::kernel::journal::Measurement;
use penstock_model::rng::{Key, Stream};
use penstock_model::source::http::{Http, Parameters};
use penstock_model::stats::distribution::Distribution;
use penstock_model::units::Time;

/// A web user.
#[derive(Clone)]
pub struct HttpUser {
    model: Http,
    sizes: Stream,
    thinking: Stream,
    /// Bytes of a segment without headers.
    payload: u64,
    /// When the page that is being transferred was requested.
    requested: Option<Time>,
    stopped: bool,
    times: PageTimes,
}

impl HttpUser {
    /// A user whose streams hang below `key`; `distribution` keeps every page's time for quantiles.
    pub fn new(model: &Parameters, key: Key, payload: u64, distribution: bool) -> HttpUser {
        HttpUser {
            model: Http::new(model),
            sizes: key.child("pages").stream(),
            thinking: key.child("think").stream(),
            payload,
            requested: None,
            stopped: false,
            times: PageTimes { distribution: distribution.then(Distribution::default), ..PageTimes::default() },
        }
    }

    /// Requests a page at `now`: how many segments it has; none once the user has stopped.
    pub fn next_page(&mut self, now: Time) -> u32 {
        if self.stopped {
            return 0;
        }
        self.requested = Some(now);
        let page = self.model.next_page(&mut self.sizes);
        u32::try_from(page.div_ceil(self.payload)).unwrap_or(u32::MAX)
    }

    /// Whether each page begins with the window of a new connection.
    pub fn begins_anew(&self) -> bool {
        self.model.begins_anew()
    }

    /// The page has been acknowledged at `now`: when the next is requested; `None` if there was no page.
    pub fn on_finished(&mut self, now: Time, measured: Measurement) -> Option<Time> {
        let requested = self.requested.take()?;
        if measured.is_open(now) {
            self.times.count(now.since(requested));
        }
        Some(now + self.model.think(&mut self.thinking))
    }

    /// Requests nothing more; an incomplete page is not counted.
    pub fn stop(&mut self) {
        (self.requested, self.stopped) = (None, true);
    }

    /// How long pages took.
    pub fn into_times(self) -> PageTimes {
        self.times
    }
}
