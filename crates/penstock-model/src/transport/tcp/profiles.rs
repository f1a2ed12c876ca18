//! Profiles of hosts.

use crate::parameters::{Profile as Set, Setting};

crate::choice! {
    /// A named set of parameters; each of them can still be written.
    pub enum Profile {
        /// The defaults of this page.
        "rfc" => Rfc,
        /// Hosts with Linux 6, as distributed.
        "linux-6" => Linux6,
        /// Hosts with Linux 4.4 to 4.10, as distributed: without RACK-TLP.
        "linux-4" => Linux4,
        /// The defaults of ns-2 in 1999, next to a `variant`.
        "ns-2" => Ns2,
    }
}

impl Profile {
    /// The word that selects it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Profile::Rfc => "rfc",
            Profile::Linux6 => "linux-6",
            Profile::Linux4 => "linux-4",
            Profile::Ns2 => "ns-2",
        }
    }

    /// Whether the profile sets its own recovery and congestion control, with which no preset agrees.
    pub(super) fn sets_components(self) -> bool {
        matches!(self, Profile::Linux6 | Profile::Linux4)
    }
}

const fn setting(path: &'static str, value: &'static str) -> Setting {
    Setting { path, value, unless: None }
}

/// A setting of the delay of acknowledgements.
const fn delayed(path: &'static str, value: &'static str) -> Setting {
    Setting { path, value, unless: Some(("ack-every", "1")) }
}

/// Settings of hosts with Linux. The windows follow from `tcp_rmem`: half of its maximum of 6 MiB is advertised (`tcp_adv_win_scale` of 1).
/// The minimum timeout is TCP_RTO_MIN. The header consists of IP, TCP and the timestamp option.
const fn linux(recovery: &'static str) -> [Setting; 27] {
    [
        setting("recovery", recovery),
        setting("congestion-control", "cubic"),
        setting("congestion-control.cubic.hystart", "true"),
        setting("congestion-control.cubic.hystart-algorithm", "linux"),
        setting("congestion-control.cubic.byte-counting-limit", "65535"),
        setting("congestion-control.cubic.reno-friendly", "rfc8312"),
        setting("congestion-control.cubic.arithmetic", "linux"),
        setting("congestion-control.reno.byte-counting-limit", "65535"),
        setting("congestion-control.dctcp.byte-counting-limit", "65535"),
        setting("congestion-control.dctcp.arithmetic", "linux"),
        setting("ecn-reduction", "proportional"),
        setting("ssthresh-from", "cwnd"),
        setting("f-rto", "true"),
        setting("dsack", "true"),
        setting("window-validation", "linux"),
        setting("keep-scoreboard", "true"),
        setting("header", "52 bytes"),
        setting("timestamps", "true"),
        setting("max-window", "3145728 bytes"),
        setting("rto", "linux"),
        setting("min-rto", "200 ms"),
        setting("max-rto", "120 s"),
        setting("max-backoff", "1024"),
        setting("ack-every", "2"),
        delayed("ack-delay", "40 ms"),
        delayed("max-ack-delay", "200 ms"),
        delayed("quick-acks", "16"),
    ]
}

/// A setting for senders that pass packets of several segments to the host.
const fn segmented(path: &'static str, value: &'static str) -> Setting {
    Setting { path, value, unless: Some(("push", "none")) }
}

/// Linux 6. Since 6.6, receivers acknowledge a segment with PSH at once, even a full one; since 6.18, senders defer segments by at most 1
/// ms.
const LINUX_6: [Setting; 29] = {
    let (common, mut all) = (linux("rack"), [delayed("push", "pairs"); 29]);
    all[28] = segmented("tso-defer", "true");
    let mut i = 0;
    while i < common.len() {
        all[i] = common[i];
        i += 1;
    }
    all
};

/// Linux 4. Before 4.11, RACK only assisted detection by duplicate acknowledgements.
const LINUX_4: [Setting; 27] = linux("prr");

/// Table of ns-2 1.x.
const NS_2: [Setting; 8] = [
    setting("initial-window", "1 packet"),
    setting("max-window", "20 packets"),
    setting("syn", "false"),
    setting("limited-transmit", "false"),
    setting("timer-tick", "100 ms"),
    setting("initial-rto", "6 s"),
    setting("min-rto", "0 s"),
    setting("max-rto", "100000 s"),
];

/// The sets by name.
pub(super) const PROFILES: &[Set] = &[
    Set { name: "rfc", settings: &[] },
    Set { name: "linux-6", settings: &LINUX_6 },
    Set { name: "linux-4", settings: &LINUX_4 },
    Set { name: "ns-2", settings: &NS_2 },
];
