//! One call of an aggregate, as its sending end keeps it.

use penstock_model::rng::Stream;
use penstock_model::source::{AnySource, Source};
use penstock_model::units::{Duration, Time};

/// A call, live or waiting for its last entry in the calendar to come up; small, because there may be very many.
pub struct Call {
    /// The next packets go out at this spacing,
    spacing: Duration,
    /// as many as this, before the source is to be asked.
    more: u32,
    /// Bytes of the next packet.
    pub size: u32,
    /// Its place among those that live; [`GONE`] once it has ended.
    pub position: u32,
    /// Its serial number within its aggregate.
    pub serial: u32,
    /// Where packets are delayed, when the last of them goes on.
    pub latest: Time,
    /// `None` if nothing but the spacing is to be known.
    drawn: Option<Box<(AnySource, Stream)>>,
}

/// In place of a position, once a call has ended.
const GONE: u32 = u32::MAX;
const _: () = assert!(std::mem::size_of::<Call>() <= 40);

impl Call {
    /// A call that lives at `position` and whose first packet has `size` bytes; the source has been asked for that.
    pub fn new(source: AnySource, stream: Stream, serial: u32, size: u32, position: u32) -> Call {
        let period = source.period();
        Call {
            spacing: period.or(source.spacing()).unwrap_or(Duration::ZERO),
            more: 0,
            size,
            position,
            serial,
            latest: Time::ZERO,
            drawn: period.is_none().then(|| Box::new((source, stream))),
        }
    }

    /// Whether it is the call `serial`, whose place may be another's by now, and lives.
    pub fn is_live(&self, serial: u32) -> bool {
        self.serial == serial && self.position != GONE
    }

    /// It ends; returns its place among those that live. Its entry in the calendar is to find out.
    pub fn end(&mut self) -> u32 {
        self.more = 0;
        std::mem::replace(&mut self.position, GONE)
    }

    /// Whether it has ended, and its entry in the calendar is the last.
    #[inline(always)]
    pub fn has_ended(&self) -> bool {
        self.position == GONE
    }

    /// A packet has gone out; returns after which time the next one does.
    #[inline(always)]
    pub fn go_on(&mut self) -> Duration {
        if self.more == 0 {
            return self.ask();
        }
        self.more -= 1;
        self.spacing
    }

    #[inline(never)]
    fn ask(&mut self) -> Duration {
        let Some(drawn) = &mut self.drawn else {
            self.more = u32::MAX;
            return self.spacing;
        };
        let (source, stream) = &mut **drawn;
        let (next, more) = source.next_run(stream);
        (self.size, self.more) = (next.size, more);
        next.after
    }
}
