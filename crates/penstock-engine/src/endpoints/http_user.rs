//! A user who asks a TCP sender for pages.

use crate::api::observations::PageTimes;
use crate::kernel::journal::Window;
use penstock_model::rng::{Key, Stream};
use penstock_model::source::http::{Http, Parameters};
use penstock_model::stats::distribution::Distribution;
use penstock_model::units::Time;

/// The user.
pub struct HttpUser {
    habits: Http,
    sizes: Stream,
    thinking: Stream,
    /// Bytes of a segment without headers.
    payload: u64,
    /// When the page under way was asked for.
    asked: Option<Time>,
    stopped: bool,
    times: PageTimes,
}

impl HttpUser {
    /// A user whose streams hang below `key`; `distribution` keeps every page's time for quantiles.
    pub fn new(habits: &Parameters, key: Key, payload: u64, distribution: bool) -> HttpUser {
        HttpUser {
            habits: Http::new(habits),
            sizes: key.child("pages").stream(),
            thinking: key.child("think").stream(),
            payload,
            asked: None,
            stopped: false,
            times: PageTimes { distribution: distribution.then(Distribution::default), ..PageTimes::default() },
        }
    }

    /// Asks for a page at `now`: how many segments it has; none once the user has stopped.
    pub fn ask(&mut self, now: Time) -> u32 {
        if self.stopped {
            return 0;
        }
        self.asked = Some(now);
        let page = self.habits.next_page(&mut self.sizes);
        u32::try_from(page.div_ceil(self.payload)).unwrap_or(u32::MAX)
    }

    /// Everything that was asked for has been acknowledged at `now`: when to ask again; `None` if nothing was under way.
    pub fn on_finished(&mut self, now: Time, window: Window) -> Option<Time> {
        let asked = self.asked.take()?;
        if window.is_open(now) {
            self.times.count(now.since(asked));
        }
        Some(now + self.habits.think(&mut self.thinking))
    }

    /// Asks for nothing more; the page under way counts no longer.
    pub fn stop(&mut self) {
        (self.asked, self.stopped) = (None, true);
    }

    /// How long pages took.
    pub fn into_times(self) -> PageTimes {
        self.times
    }
}
