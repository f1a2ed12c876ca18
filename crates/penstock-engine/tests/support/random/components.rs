//! The components of random scenarios: the [listed](super::listed) ones and the [drawn](super::drawn) ones.

use super::drawn::{choices, in_transport, new, schedulers, Choice, Classed};
use super::listed;
use penstock_engine::blueprint::MarkAt;
use penstock_model::buffer::BufferPlan;
use penstock_model::conditioner::{PolicerPlan, ShaperPlan};
use penstock_model::discipline::DisciplinePlan;
use penstock_model::edge::{AdmissionPlan, TerminationPlan};
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::meter::MeterPlan;
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::source::SourcePlan;
use penstock_model::transport::congestion_control::CongestionControlPlan;
use penstock_model::transport::rate_control::RateControlPlan;
use penstock_model::transport::recovery::RecoveryPlan;
use penstock_model::transport::TransportPlan;
use std::sync::LazyLock;

type Choices = LazyLock<Vec<Choice>>;

pub(super) static DISCIPLINES: Choices = LazyLock::new(|| choices(listed::DISCIPLINES, |plan: &DisciplinePlan| !plan.needs_cells()));
/// Disciplines of frames, for links that carry cells.
pub(super) static OF_FRAMES: Choices = LazyLock::new(|| choices(listed::OF_FRAMES, DisciplinePlan::needs_cells));
/// Schedulers that make their queues.
pub(super) static FLOW_QUEUES: Choices =
    LazyLock::new(|| choices(listed::FLOW_QUEUES, |plan: &SchedulerPlan| plan.facts().own_queues.is_some()));
pub(super) static SCHEDULERS: LazyLock<Vec<Classed>> = LazyLock::new(|| schedulers(listed::SCHEDULERS));
pub(super) static SHAPERS: Choices = LazyLock::new(|| choices(listed::SHAPERS, |_: &ShaperPlan| true));
pub(super) static POLICERS: Choices = LazyLock::new(|| choices(listed::POLICERS, |_: &PolicerPlan| true));
pub(super) static IMPAIRMENTS: Choices = LazyLock::new(|| choices(listed::IMPAIRMENTS, |_: &ImpairmentPlan| true));
pub(super) static PCN: Choices = LazyLock::new(|| choices(listed::PCN, |_: &PcnMeterPlan| true));
/// Buffers that the ports of a node share, most of them small enough to refuse packets.
pub(super) static BUFFERS: Choices = LazyLock::new(|| choices(listed::BUFFERS, |_: &BufferPlan| true));
/// Meters, and where they mark.
pub(super) static METERS: LazyLock<Vec<(Choice, MarkAt)>> = LazyLock::new(|| {
    let settings: Vec<(&str, &str)> = listed::METERS.iter().map(|(name, settings, _)| (*name, *settings)).collect();
    let places = listed::METERS.iter().map(|(.., at)| *at).chain([MarkAt::Arrival, MarkAt::Departure].into_iter().cycle());
    choices(&settings, |plan: &MeterPlan| !plan.meters_circuits()).into_iter().zip(places).collect()
});

/// A source and its transport.
pub(super) struct Traffic {
    pub source: Choice,
    pub transport: Choice,
}

/// Open loops, then all traffic that a transport drives.
pub(super) static TRAFFIC: LazyLock<(Vec<Traffic>, Vec<Traffic>)> = LazyLock::new(|| {
    let of_list = |(name, settings, transport): &(&str, &str, &str)| Traffic {
        source: Choice::listed::<SourcePlan>(name, settings),
        transport: match transport.strip_prefix("roce; ") {
            Some(settings) => Choice::listed::<TransportPlan>("roce", settings),
            None if SourcePlan::OPEN_LOOP.contains(name) => Choice::listed::<TransportPlan>("udp", transport),
            None => Choice::listed::<TransportPlan>("tcp", transport),
        },
    };
    let is_open = |traffic: &Traffic| traffic.source.plan::<SourcePlan>().mean_rate().is_some();
    let (mut open, mut driven): (Vec<_>, Vec<_>) = listed::TRAFFIC.iter().map(of_list).partition(is_open);
    let names: Vec<&str> = listed::TRAFFIC.iter().map(|(name, ..)| *name).collect();
    for source in new::<SourcePlan>(&names, |_| true) {
        let is_open = source.plan::<SourcePlan>().mean_rate().is_some();
        let transport = if is_open { ("udp", "") } else { TCP[0] };
        let transport = Choice::listed::<TransportPlan>(transport.0, transport.1);
        if is_open { &mut open } else { &mut driven }.push(Traffic { source, transport });
    }
    let transports: Vec<Choice> = driven.iter().map(|traffic| traffic.transport.clone()).collect();
    let new_transports = [
        in_transport::<CongestionControlPlan>(("congestion-control", TCP), &transports),
        in_transport::<RecoveryPlan>(("recovery", TCP), &transports),
        in_transport::<RateControlPlan>(("rate-control", ROCE), &transports),
        new::<TransportPlan>(&["tcp", "udp", "roce"], TransportPlan::is_reliable),
    ];
    let with_ftp = |transport| Traffic { source: Choice::listed::<SourcePlan>("ftp", ""), transport };
    driven.extend(new_transports.into_iter().flatten().map(with_ftp));
    let with_video = |transport| Traffic { source: Choice::listed::<SourcePlan>(VIDEO.0, VIDEO.1), transport };
    driven.extend(new::<TransportPlan>(&[], TransportPlan::requests_rates).into_iter().map(with_video));
    (open, driven)
});
/// TCP for components of it, without and with ECN.
const TCP: &[(&str, &str)] = &[
    ("tcp", "packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("tcp", "packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms; ecn = true"),
];
/// A source for transports that set its rate.
const VIDEO: (&str, &str) = ("video", "rate = 400 kbit/s; frame-rate = 200; group-length = 6; packet = 300 bytes");
const ROCE: &[(&str, &str)] = &[("roce", "packet = 500 bytes; max-outstanding = 40; timeout = 25 ms")];

/// Calls: their source, admission, termination, and the size of a request's packet.
pub(super) struct Calls {
    pub source: Choice,
    pub admission: Option<Choice>,
    pub termination: Option<Choice>,
    pub request_packet: Option<u32>,
}

pub(super) static CALLS: LazyLock<Vec<Calls>> = LazyLock::new(|| {
    let of_list = |(source, admission, termination, request_packet): &listed::Calls| Calls {
        source: Choice::listed::<SourcePlan>(source.0, source.1),
        admission: admission.map(|(name, settings)| Choice::listed::<AdmissionPlan>(name, settings)),
        termination: termination.map(|(name, settings)| Choice::listed::<TerminationPlan>(name, settings)),
        request_packet: *request_packet,
    };
    let mut calls: Vec<Calls> = listed::CALLS.iter().map(of_list).collect();
    let admissions: Vec<&str> = listed::CALLS.iter().filter_map(|(_, admission, ..)| admission.map(|(name, _)| name)).collect();
    let terminations: Vec<&str> = listed::CALLS.iter().filter_map(|(_, _, termination, _)| termination.map(|(name, _)| name)).collect();
    let of_voice = |admission, termination| Calls { admission, termination, ..of_list(&(listed::VOICE, None, None, None)) };
    calls.extend(new::<AdmissionPlan>(&admissions, |_| true).into_iter().map(|it| of_voice(Some(it), None)));
    calls.extend(new::<TerminationPlan>(&terminations, |_| true).into_iter().map(|it| of_voice(None, Some(it))));
    calls
});
