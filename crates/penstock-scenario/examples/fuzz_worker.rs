//! Checks scenarios one after the other: a request in JSON a line on standard input, a verdict in JSON a line on
//! standard output. `tests/fuzz` sends them, and starts another worker when one does not survive.

#[path = "../tests/fuzz/mod.rs"]
mod fuzz;

use fuzz::{check, Effort, Report};
use serde_json::{json, Value};
use std::io::{BufRead, Write};
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::sync::Mutex;

/// Location and message of the first panic of a case; threads of a run may panic too.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

fn main() {
    set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
        let payload = panic.payload();
        let said = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = said.unwrap_or("no text");
        PANIC.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert_with(|| format!("{place}: {message}"));
    }));
    for line in std::io::stdin().lock().lines() {
        let verdict = answer(&serde_json::from_str(&line.expect("a request")).expect("JSON"));
        let mut out = std::io::stdout().lock();
        writeln!(out, "{verdict}").and_then(|()| out.flush()).expect("a reader");
    }
}

fn answer(request: &Value) -> Value {
    *PANIC.lock().expect("not poisoned") = None;
    let text = request["text"].as_str().expect("a text");
    let sets: Vec<(String, String)> = serde_json::from_value(request["sets"].clone()).expect("pairs");
    let number = |key: &str| request[key].as_u64().expect("a number");
    let effort = Effort { events: number("events"), cut: number("cut") };
    let checked = catch_unwind(AssertUnwindSafe(|| {
        pretend(request["pretend"].as_str());
        check(text, &sets, effort)
    }));
    let panicked = PANIC.lock().expect("not poisoned").take();
    match (checked, panicked) {
        (_, Some(message)) => json!({ "verdict": "panic", "message": message }),
        (Err(_), None) => json!({ "verdict": "panic", "message": "" }),
        (Ok(Report { outcome: Ok(outcome), longest, mistaken }), None) => {
            let verdict = format!("{outcome:?}").to_lowercase();
            json!({ "verdict": verdict, "phase": longest.0, "seconds": longest.1, "mistaken": mistaken })
        }
        (Ok(Report { outcome: Err(message), .. }), None) => json!({ "verdict": "wrong", "message": message }),
    }
}

/// Fails on demand, so that a test can check that failures are noticed.
fn pretend(what: Option<&str>) {
    match what {
        Some("panic") => panic!("as asked"),
        Some("overflow") => assert_eq!(std::hint::black_box(u64::MAX) + std::hint::black_box(1), 0, "no overflow check"),
        Some("abort") => std::process::abort(),
        Some("hang") => loop {
            std::hint::spin_loop();
        },
        Some("sleep") => std::thread::sleep(std::time::Duration::from_secs(3600)),
        _ => {}
    }
}
