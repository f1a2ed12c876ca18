//! The sender as a [`ConnectionSender`].

use super::super::{Parameters, Transmission};
use super::{Connection, Sender};
use crate::packet::{Body, Ecn};
use crate::parameters::own;
use crate::transport::connection::ConnectionSender;
use crate::transport::custom::Expiry;
use crate::units::Time;
use std::any::Any;

impl ConnectionSender for Sender {
    #[inline]
    fn deadline(&self) -> Time {
        self.gate.as_ref().map_or(self.retransmission, |gate| gate.wake().min(self.retransmission))
    }

    /// Handles the expiry of the retransmission timer, the end of the wait before a retransmission, or the time of a paced segment.
    fn on_deadline(&mut self, now: Time) -> Option<Expiry> {
        if self.deadline() > now {
            return None;
        }
        let reason = match self.is_timeout_due(now) {
            true => Expiry::Timeout,
            false if self.is_retransmission_due(now) => Expiry::Retransmission,
            false => Expiry::Pacing,
        };
        if now >= self.retransmission {
            if !self.on_other_timer(now) {
                self.on_timeout(now);
            }
            self.update_prediction();
        } else if reason == Expiry::Retransmission {
            self.cancel_wait();
            self.flight.make_retransmission();
            self.restart_timer(now);
        }
        Some(reason)
    }

    /// Opens the connection, with a SYN or immediately.
    fn start(&mut self, now: Time) {
        debug_assert!(self.connection == Connection::Closed, "started twice");
        self.last_sent = now;
        self.connection = if self.parameters.syn { Connection::SynDue { attempt: 0 } } else { Connection::Open };
    }

    fn withdraw(&mut self, _now: Time) {
        self.flight.offered = self.flight.offered.min(self.flight.high);
    }

    /// Offers `segments` more segments; `None` means all sequence numbers.
    fn offer(&mut self, _now: Time, segments: Option<u32>) {
        self.flight.offered = segments.map_or(u32::MAX, |segments| self.flight.offered.saturating_add(segments));
        self.end_deferral();
    }

    fn renew_window(&mut self) {
        self.window = self.parameters.first_window();
    }

    #[inline]
    fn is_finished(&self) -> bool {
        self.flight.unacknowledged == self.flight.offered
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        if let Some(parameters) = own::<Parameters>(parameters).congestion_control_plan().changeable() {
            self.control.get().change(now, parameters);
        }
    }

    /// Whether pacing permits a segment now; if not, [`Sender::deadline`] gives the time. The windows may still forbid it.
    fn is_ready(&mut self, now: Time) -> bool {
        match self.connection {
            Connection::Open => !self.gate.as_mut().is_some_and(|gate| gate.holds_back(now)),
            Connection::SynDue { .. } => true,
            Connection::Closed | Connection::SynSent { .. } => false,
        }
    }

    #[inline]
    fn packet_size(&self) -> u32 {
        self.parameters.packet_size()
    }

    #[inline(always)]
    fn next_transmission(&mut self, now: Time) -> Option<Transmission> {
        match self.connection {
            Connection::Open => {
                if self.gate.as_mut().is_some_and(|gate| gate.holds_back(now)) {
                    return None;
                }
                let Some(seq) = self.next_segment(now) else {
                    if self.records.is_some() {
                        self.record_idle();
                    }
                    return None;
                };
                Some(self.transmit(now, seq))
            }
            Connection::SynDue { attempt } => {
                self.connection = Connection::SynSent { attempt };
                self.last_sent = now;
                self.restart_timer(now);
                let ecn = self.parameters.ecn;
                let codepoint = if ecn { self.ecn.ecn_use.of_syn() } else { Ecn::NotEct };
                Some(Transmission { body: Body::syn(ecn), size: self.parameters.header_size(), ecn: codepoint })
            }
            Connection::Closed | Connection::SynSent { .. } => None,
        }
    }

    fn window(&self) -> Option<(f64, f64)> {
        Some((self.window.size, self.window.threshold))
    }
}
