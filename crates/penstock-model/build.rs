//! Sets `inlines_components` where the compiler optimises fully (`opt-level` 2 and 3).
//!
//! At these levels the engine's loops contain the code of every component, so an edit of a component compiles them again. At lower levels,
//! as in the `daily` profile, the loops call the component, so only the component is compiled again.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(inlines_components)");
    let level = std::env::var("OPT_LEVEL").expect("cargo sets it");
    if matches!(level.as_str(), "2" | "3") {
        println!("cargo::rustc-cfg=inlines_components");
    }
}
