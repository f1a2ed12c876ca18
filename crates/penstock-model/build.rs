//! Sets `inlines_components` where the compiler optimises fully (`opt-level` 2 and 3).
//!
//! The engine's loops then contain the code of every component, and are compiled again after an edit of one. Where the level is lower,
//! as in the `daily` profile, they call it, so that only the component is.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(inlines_components)");
    let level = std::env::var("OPT_LEVEL").expect("cargo sets it");
    if matches!(level.as_str(), "2" | "3") {
        println!("cargo::rustc-cfg=inlines_components");
    }
}
