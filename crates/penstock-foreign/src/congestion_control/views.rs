//! The views of hooks of congestion controls.

use crate::views::views;

views! {
    /// The window of a connection, in segments.
    WindowView {
        /// cwnd.
        size: f64 => written,
        /// ssthresh; infinite before the first congestion.
        threshold: f64 => written,
        /// Maximum number of outstanding segments.
        max: i64,
    }
    /// An acknowledgement of new data.
    Ack {
        /// Segments acknowledged for the first time (cumulatively).
        newly: i64,
        /// Segments known to have arrived since the connection began.
        delivered: i64,
        /// The segment after the last acknowledged one (the new SND.UNA).
        acknowledged: i64,
        /// The segment to send next (SND.NXT).
        next: i64,
        /// Segments that were outstanding before the arrival.
        in_flight: i64,
        /// 1 if the application had nothing more to send although the window had room.
        app_limited: i64,
        /// 1 if the receiver echoes a mark (ECE).
        ece: i64,
        /// 1 in a fast recovery, during which the recovery controls the window.
        in_recovery: i64,
        /// 1 if the window may grow: no recovery, and no echoed mark.
        may_grow: i64,
        /// The round trip measured by this acknowledgement (ps); never if there is none.
        rtt: i64,
        /// SRTT (ps); 0 before the first measured round trip.
        smoothed: i64,
    }
    /// Fields of smaller events, which are arguments of hooks.
    Event {
        /// 1 after a loss, 2 after an echoed mark.
        cause: i64,
        /// Segments in flight.
        in_flight: i64,
        /// 1 if nothing new has been acknowledged since the last timeout.
        repeated: i64,
        /// A measured round trip (ps).
        rtt: i64,
        /// SRTT, this round trip included (ps).
        smoothed: i64,
        /// Segments that are lost.
        segments: i64,
    }
    /// A connection, before it sends.
    Connection {
        /// Payload bytes of a full-sized segment (MSS).
        payload: i64,
        /// Bytes of a full-sized segment on the wire.
        packet_size: i64,
        /// Maximum number of outstanding segments.
        max_window: i64,
        /// 1 if the scenario asks for pacing.
        paced: i64,
    }
    /// Marks that an acknowledgement reports.
    Marks {
        /// The segment expected next (SEG.ACK).
        acknowledged: i64,
        /// Segments acknowledged for the first time, by SEG.ACK alone.
        newly: i64,
        /// The segment to send next (SND.NXT).
        next: i64,
        /// Segments shown to have arrived.
        delivered: i64,
        /// 1 if it reports a mark.
        ece: i64,
        /// Segments considered marked.
        marked: i64,
    }
    /// Report of an acknowledgement, of new data or not.
    Report {
        /// The segment expected next (SND.UNA).
        acknowledged: i64,
        /// Segments acknowledged cumulatively that no block had covered before.
        newly_acknowledged: i64,
        /// Segments that a block covers for the first time.
        newly_sacked: i64,
        /// Segments considered lost since the last report.
        newly_lost: i64,
        /// Segments in the network before it.
        in_flight_before: i64,
        /// Segments in the network after it.
        in_flight: i64,
        /// Segments delivered since the connection began.
        delivered: i64,
        /// The round trip of the newest delivered segment (ps); never if there is none.
        rtt: i64,
        /// Delivery rate (bit/s); 0 if there is no sample.
        rate: i64,
        /// Segments delivered in the interval of the sample.
        rate_delivered: i64,
        /// Interval of the sample (ps).
        rate_interval: i64,
        /// Segments delivered when the newest delivered segment was sent.
        prior_delivered: i64,
        /// 1 if that segment was sent while the application limited the rate.
        app_limited: i64,
        /// Segments in the network when the segment of this round trip was sent.
        in_flight_at_sending: i64,
        /// Segments considered lost since then.
        lost_since_sending: i64,
        /// 1 if the sender repairs losses.
        in_recovery: i64,
    }
    /// A segment that leaves.
    Sent {
        /// Its number.
        number: i64,
        /// 1 if it was sent before.
        retransmission: i64,
        /// Segments in the network before it.
        in_flight: i64,
        /// 1 if the application limits the rate.
        app_limited: i64,
    }
    /// A segment that is considered lost.
    Lost {
        /// Its number.
        number: i64,
        /// Segments in the network with it when it left.
        in_flight: i64,
        /// Segments considered lost since then, this one included.
        lost: i64,
        /// Segments delivered since the connection began.
        delivered: i64,
        /// 1 if it was sent while the application limited the rate.
        app_limited: i64,
    }
}
