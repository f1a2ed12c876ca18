//! One call of an aggregate, at its sending end.

use penstock_model::rng::Stream;
use penstock_model::source::{AnySource, Source};
use penstock_model::units::{Duration, Time};

/// A call: live, or ended with one entry left in the schedule; small, because there may be very many.
#[derive(Clone)]
pub struct Call {
    /// Spacing of the next `more` packets.
    spacing: Duration,
    /// How many packets follow at `spacing` before the source draws again.
    more: u32,
    /// Bytes of the next packet.
    pub size: u32,
    /// Its index among the live calls; [`ENDED`] once it has ended.
    pub position: u32,
    /// Its serial number within its aggregate.
    pub serial: u32,
    /// Where packets have an ingress delay, when the last of them leaves it.
    pub latest: Time,
    /// The source and its stream; `None` if it is periodic.
    drawn: Option<Box<(AnySource, Stream)>>,
}

/// The position of a call that has ended.
const ENDED: u32 = u32::MAX;
const _: () = assert!(std::mem::size_of::<Call>() <= 40);

impl Call {
    /// A live call at index `position`; its first packet, of `size` bytes, has been drawn.
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

    /// Whether it is still the call `serial`, since its slot may have been reused, and is live.
    pub fn is_live(&self, serial: u32) -> bool {
        self.serial == serial && self.position != ENDED
    }

    /// Ends the call; returns its index among the live calls. Its entry in the schedule is removed when it is due.
    pub fn end(&mut self) -> u32 {
        self.more = 0;
        std::mem::replace(&mut self.position, ENDED)
    }

    /// Whether it has ended.
    #[inline(always)]
    pub fn has_ended(&self) -> bool {
        self.position == ENDED
    }

    /// After a packet: the time until the next one.
    #[inline(always)]
    pub fn next_spacing(&mut self) -> Duration {
        if self.more == 0 {
            return self.draw();
        }
        self.more -= 1;
        self.spacing
    }

    /// If the next packet but one comes `spacing` after the next, as one of a run that the source has drawn, takes the next one.
    #[inline(always)]
    pub fn repeats(&mut self, spacing: Duration) -> bool {
        let repeats = self.more > 0 && self.spacing == spacing;
        if repeats {
            self.more -= 1;
        }
        repeats
    }

    #[inline(never)]
    fn draw(&mut self) -> Duration {
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
