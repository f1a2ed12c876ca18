//! Profiles as parameters: their settings, what overrides them, and what excludes them.

use super::super::profiles::PROFILES;
use super::super::Parameters;
use super::harness::{read, text};
use crate::parameters::{Amount, Count, CountOrZero, Limit, Parameters as _, Value};
use crate::transport::congestion_control::CongestionControlPlan;
use crate::transport::recovery::RecoveryPlan;
use crate::units::Duration;
use std::sync::Arc;

fn of(profile: &str, more: &[(&str, Value)]) -> Arc<Parameters> {
    read(&[&[("profile", text(profile))], more].concat()).expect("sound parameters")
}

fn table(name: &str, key: &str, value: Value) -> Value {
    Value::Table(vec![(name.to_owned(), Value::Table(vec![(key.to_owned(), value)]))])
}

#[test]
fn rfc_is_what_holds_without_a_profile() {
    assert_eq!(of("rfc", &[]), read(&[]).expect("sound"));
}

#[test]
fn every_profile_has_a_set_whose_values_differ_from_the_defaults() {
    let words = Parameters::FIELDS.iter().find(|field| field.name == "profile").expect("a parameter").kind;
    let crate::parameters::Kind::Choice(words) = words else { panic!("a choice") };
    let names = words.iter().map(|(word, _)| *word);
    assert!(names.eq(PROFILES.iter().map(|profile| profile.name)));
    for profile in PROFILES {
        of(profile.name, &[]);
        for setting in profile.settings {
            let key = setting.path.split('.').next().expect("a key");
            let field = Parameters::FIELDS.iter().find(|field| field.has_key(key)).expect("a parameter");
            assert!(key != setting.path || field.default != Some(setting.value), "{} of {}", setting.path, profile.name);
        }
    }
}

#[test]
fn linux_has_its_windows_timers_and_acknowledgements() {
    let it = of("linux-6", &[]);
    assert!(matches!(it.recovery, Some(RecoveryPlan::Rack(_))));
    assert!(matches!(of("linux-4", &[]).recovery, Some(RecoveryPlan::Prr(_))));
    let Some(CongestionControlPlan::Cubic(cubic)) = &it.congestion_control else { panic!("{:?}", it.congestion_control) };
    assert!(cubic.hystart && it.timestamps);
    // 3 MiB of payload, 1448 bytes each.
    assert_eq!((it.header_size(), it.most_outstanding()), (52, 2172));
    assert_eq!((it.min_rto, it.max_rto, it.initial_rto), (Duration::from_ms(200), Duration::from_ms(120_000), Duration::from_ms(1000)));
    let delays = (it.ack_delay, it.max_ack_delay);
    assert_eq!(
        (it.ack_every, it.quick_acks, delays),
        (Count(2), CountOrZero(16), (Some(Duration::from_ms(40)), Some(Duration::from_ms(200))))
    );
}

#[test]
fn what_is_written_takes_precedence() {
    assert_eq!(of("linux-6", &[("min-rto", text("1 s"))]).min_rto, Duration::from_ms(1000));
    let it = of("linux-6", &[("congestion-control", table("cubic", "beta", Value::Float(0.8)))]);
    let Some(CongestionControlPlan::Cubic(cubic)) = &it.congestion_control else { panic!("{:?}", it.congestion_control) };
    assert!(cubic.hystart, "the other parameters remain as in the profile");
    assert!((cubic.beta.0 - 0.8).abs() < 1e-12);
    let it = of("linux-6", &[("congestion-control", text("reno"))]);
    let Some(CongestionControlPlan::Reno(reno)) = &it.congestion_control else { panic!("{:?}", it.congestion_control) };
    assert_eq!(reno.byte_counting_limit, Some(Count(65535)));
    let every = of("linux-6", &[("ack-every", Value::Integer(1))]);
    assert_eq!((every.ack_delay, every.max_ack_delay, every.quick_acks), (None, None, CountOrZero(0)));
}

#[test]
fn ns_2_stands_next_to_a_variant() {
    let written = [
        ("variant", text("tahoe")),
        ("initial-window", text("1 packet")),
        ("max-window", text("20 packets")),
        ("syn", Value::Switch(false)),
        ("limited-transmit", Value::Switch(false)),
        ("timer-tick", text("100 ms")),
        ("initial-rto", text("6 s")),
        ("min-rto", text("0 s")),
        ("max-rto", text("100000 s")),
    ];
    let Parameters { profile: _, ref initial_window, .. } = *of("ns-2", &[]);
    assert_eq!(*initial_window, Amount(Limit::Packets(1)));
    let by_profile = of("ns-2", &[("variant", text("tahoe"))]);
    assert_eq!(Parameters { profile: super::super::Profile::Rfc, ..Parameters::clone(&by_profile) }, *read(&written).expect("sound"));
}

#[test]
fn what_excludes_a_profile_is_refused_by_name() {
    let refused = |given: &[(&str, Value)]| read(given).expect_err("refused").join("; ");
    assert_eq!(
        refused(&[("profile", text("linux-6")), ("variant", text("tahoe"))]),
        "variant: 'tahoe' excludes profile = \"linux-6\", which has a recovery and a congestion control; write recovery.tahoe = {} and \
         congestion-control.reno = {} in its place, or leave out profile"
    );
    assert_eq!(refused(&[("profile", text("linux"))]), "profile: 'linux' is not one of rfc, linux-6, linux-4, ns-2");
    assert_eq!(
        refused(&[("profile", text("ns-2")), ("initial-rto", text("200000 s"))]),
        "initial-rto: 200000 s must be above zero and between min-rto, 0 s, and max-rto, 100000 s"
    );
}
