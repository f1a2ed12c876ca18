//! The contract of the sending end of a connection.

use super::custom::Expiry;
use super::tcp::Transmission;
use crate::units::Time;
use std::any::Any;

/// A sending state machine, without a clock. Its endpoint keeps the times of its application, and calls it at them.
///
/// After every input, the endpoint asks for packets until there is none to send at that instant, and then for the deadline.
pub trait ConnectionSender {
    /// Time at which [`ConnectionSender::on_deadline`] is due; [`Time::NEVER`] if it is not.
    fn deadline(&self) -> Time;

    /// The same while the sender waits for its port: other deadlines than that of the next packet.
    fn deadline_while_waiting(&self) -> Time {
        self.deadline()
    }

    /// Handles the deadline; returns its reason, or `None` if it is not due.
    fn on_deadline(&mut self, now: Time) -> Option<Expiry>;

    /// Begins to send.
    fn start(&mut self, now: Time);

    /// Stops the application, perhaps before sending has begun: outstanding data is still repaired, but nothing new is sent.
    fn withdraw(&mut self, now: Time);

    /// Offers `amount` more data, in the sender's unit; `None` stands for data without end.
    fn offer(&mut self, now: Time, amount: Option<u32>);

    /// Begins the next offer as a new connection would; nothing is outstanding.
    fn renew_window(&mut self) {}

    /// Whether everything offered so far has been acknowledged.
    fn is_finished(&self) -> bool;

    /// Applies the changeable parameters from `now` on.
    fn change(&mut self, now: Time, parameters: &dyn Any);

    /// Whether a packet may leave at `now`, as far as the sender's own timing goes.
    fn is_ready(&mut self, now: Time) -> bool;

    /// Bytes of a data packet on the wire, headers included.
    fn packet_size(&self) -> u32;

    /// Next packet to send at `now`, if any.
    fn next_transmission(&mut self, now: Time) -> Option<Transmission>;

    /// Congestion window and slow-start threshold, if there are any.
    fn window(&self) -> Option<(f64, f64)> {
        None
    }
}
