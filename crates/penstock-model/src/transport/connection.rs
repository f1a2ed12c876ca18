//! Interface of the sending end of a connection.

use super::custom::Expiry;
use super::tcp::Transmission;
use crate::units::Time;
use std::any::Any;

/// A sending state machine without a clock. Its endpoint keeps track of the times of the application and calls it at these times.
///
/// After every input, the endpoint asks for packets until there is none to send at that instant, and then for the deadline.
pub trait ConnectionSender {
    /// Time at which [`ConnectionSender::on_deadline`] is due; [`Time::NEVER`] if it is not.
    fn deadline(&self) -> Time;

    /// Same as [`ConnectionSender::deadline`] while the sender waits for its port: leaves out the time of the next packet.
    fn deadline_while_waiting(&self) -> Time {
        self.deadline()
    }

    /// Handles the deadline; returns its reason, or `None` if it is not due.
    fn on_deadline(&mut self, now: Time) -> Option<Expiry>;

    /// Starts sending.
    fn start(&mut self, now: Time);

    /// Stops the application, possibly before sending has begun. Outstanding data is still repaired, but no new data is sent.
    fn withdraw(&mut self, now: Time);

    /// Offers `amount` more data, in the unit of the sender; `None` means endless data.
    fn offer(&mut self, now: Time, amount: Option<u32>);

    /// Starts the next offer with the window of a new connection. Nothing may be outstanding.
    fn renew_window(&mut self) {}

    /// Whether everything offered so far has been acknowledged.
    fn is_finished(&self) -> bool;

    /// Applies the changeable parameters from `now` on.
    fn change(&mut self, now: Time, parameters: &dyn Any);

    /// Whether the timing of the sender permits a packet at `now`.
    fn is_ready(&mut self, now: Time) -> bool;

    /// Bytes of a data packet on the wire, headers included.
    fn packet_size(&self) -> u32;

    /// Next packet to send at `now`, if any.
    fn next_transmission(&mut self, now: Time) -> Option<Transmission>;

    /// Congestion window and slow-start threshold; `None` without them.
    fn window(&self) -> Option<(f64, f64)> {
        None
    }
}
