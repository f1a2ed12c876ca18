//! Declaration of the calls that a discipline uses; the port makes no others.

/// Set of the calls of a [`Discipline`](super::Discipline) that its decisions need in addition to the call on arrival, and of its special
/// verdicts.
///
/// A port whose disciplines use only [`Hooks::ARRIVAL`], with or without marks, can compute departures on arrival. Any other port decides
/// on each departure when its wire becomes free. The port does not make undeclared calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hooks(u8);

impl Hooks {
    /// [`Discipline::on_arrival`](super::Discipline::on_arrival), without evictions.
    pub const ARRIVAL: Hooks = Hooks(0);
    /// [`Discipline::on_departure`](super::Discipline::on_departure).
    pub const DEPARTURE: Hooks = Hooks(1);
    /// [`Discipline::on_leave`](super::Discipline::on_leave).
    pub const LEAVE: Hooks = Hooks(2);
    /// [`Discipline::next_deadline`](super::Discipline::next_deadline) and [`Discipline::on_timer`](super::Discipline::on_timer).
    pub const TIMER: Hooks = Hooks(4);
    /// [`Verdict::Evict`](super::Verdict::Evict) is a possible verdict.
    pub const EVICTION: Hooks = Hooks(8);
    /// [`Verdict::Mark`](super::Verdict::Mark) or [`DepartureVerdict::Mark`](super::DepartureVerdict::Mark) is a possible verdict.
    pub const MARK: Hooks = Hooks(16);
    /// The port fills in [`Occupancy::head_since`](super::Occupancy::head_since).
    pub const HEAD_AGE: Hooks = Hooks(32);
    /// [`Discipline::make_room`](super::Discipline::make_room): the discipline sees all queues of the port and may drop
    /// packets from any.
    pub const ROOM: Hooks = Hooks(64);

    /// Union of both sets.
    pub const fn and(self, others: Hooks) -> Hooks {
        Hooks(self.0 | others.0)
    }

    /// Whether departures can be computed on arrival.
    #[inline]
    pub const fn decide_on_arrival(self) -> bool {
        self.0 & !Hooks::MARK.0 == Hooks::ARRIVAL.0
    }

    /// Whether this set contains all of `others`.
    #[inline]
    pub const fn has(self, others: Hooks) -> bool {
        self.0 & others.0 == others.0
    }
}
