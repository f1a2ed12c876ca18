//! Messages quote the scenario without control characters that could affect a terminal, and shortened.

use penstock_model::printable::is_escaped;
use penstock_scenario::{load, report, Mistake};

/// Text that moves the cursor, reverses the direction of writing and breaks the line, in TOML escapes that the parser accepts.
const HOSTILE: &str = "\\u001b[2J\\u202e\\u0085\\u2028\\u000a\\u200b";

/// Mistaken scenarios with `HOSTILE` and a long text at every place of `PAGE` that accepts a text or a key.
fn hostile_pages() -> Vec<String> {
    let long = "x".repeat(10_000);
    let mut pages = Vec::new();
    for text in [HOSTILE.to_owned(), long.clone(), format!("{HOSTILE}{long}")] {
        for line in PAGE.lines() {
            let Some((key, value)) = line.split_once(" = ") else { continue };
            pages.push(PAGE.replace(line, &format!("{key} = \"{text}\"")));
            pages.push(PAGE.replace(line, &format!("\"{text}\" = {value}")));
            pages.push(PAGE.replace(line, &format!("{key} = {{ \"{text}\" = {value} }}")));
            pages.push(PAGE.replace(line, &format!("{key} = [\"{text}\"]")));
        }
    }
    pages
}

const PAGE: &str = r#"
duration = "1 s"
ties = "random"
[nodes]
a = { count = 2 }
b = {}
[[links]]
name = "up"
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
queue.tail-drop = { limit = "60 packets" }
scheduler.priority = { order = ["voice"] }
impairment.delay = { added = "1 ms" }
[[flows]]
name = "calls"
from = "a"
to = "b"
count = 2
class = "voice"
source.cbr = { rate = "64 kbit/s", packet = { mix = [{ size = "160 bytes", share = 1.0 }] } }
[[measure]]
metric = "delay"
of = "calls"
"#;

fn check(mistakes: &[Mistake], page: &str) {
    for mistake in mistakes {
        for text in [&mistake.path, &mistake.message, &mistake.to_string()] {
            assert!(!text.chars().any(is_escaped), "{text:?} of {page:.300}");
        }
        assert!(mistake.path.chars().count() <= 200 && mistake.message.chars().count() <= 1000);
        // A quoted value leaves room for the allowed values: only the ends of long lists may be missing.
        assert!(!mistake.message.contains(&"x".repeat(101)), "{}", mistake.message);
    }
    let lines = report(mistakes);
    assert_eq!(lines.lines().count(), mistakes.len() + 1, "{lines:?}");
}

#[test]
fn hostile_texts_are_shown_escaped_and_shortened() {
    assert!(load(PAGE, "page.toml", &[]).is_ok(), "sound without them");
    let mut echoes = 0;
    for page in hostile_pages() {
        match load(&page, "page.toml", &[]) {
            Ok(scenario) => check(scenario.warnings(), &page),
            Err(mistakes) => {
                check(&mistakes, &page);
                echoes += usize::from(mistakes.iter().any(|mistake| mistake.message.contains("\\u001B[2J\\u202E\\u0085")));
            }
        }
    }
    assert!(echoes > 50, "only {echoes} messages repeat what was written");
}

#[test]
fn hostile_settings_are_shown_escaped_and_shortened() {
    let long = "x".repeat(10_000);
    for text in ["\u{1b}[2J\u{202e}\n", "[\u{1b}", "{\u{202e}", "\u{9b},2", &long, &format!("{long},{long}"), &format!("[{long}")] {
        let with = |before: &str, after: &str| format!("{before}{text}{after}");
        let paths = [text.to_owned(), with("up.", ""), with("nodes.", ".count"), with("links[", "].rate"), with("up.queue.", ".limit")];
        let mut sets: Vec<(String, String)> = paths.map(|path| (path, "1".to_owned())).to_vec();
        sets.extend(["duration", "description", "up.queue", "up.rate", "nodes.b"].map(|path| (path.to_owned(), text.to_owned())));
        for set in sets {
            if let Err(mistakes) = load(PAGE, "page.toml", &[set]) {
                check(&mistakes, text);
            }
        }
    }
}

#[test]
fn hostile_file_names_are_shown_escaped_and_shortened() {
    let name = format!("\u{1b}]0;owned\u{7}\u{202e}{}", "x".repeat(10_000));
    let mistakes = load("duration = 5", &name, &[]).expect_err("mistakes");
    assert_eq!(mistakes[0].file, name, "programs get the name unescaped");
    let shown = mistakes[0].to_string();
    assert!(shown.starts_with("\\u001B]0;owned\\u0007\\u202Exxx"), "{shown}");
    assert!(shown.contains("xxx...:1: duration: 5 has no unit"), "{shown}");
}

#[test]
fn names_have_at_most_a_hundred_characters() {
    let page = |name: &str| PAGE.replace("\"up\"", &format!("{name:?}")).replace("\"voice\"", &format!("{name:?}"));
    assert!(load(&page(&"x".repeat(100)), "page.toml", &[]).is_ok());
    let mistakes = load(&page(&"x".repeat(101)), "page.toml", &[]).expect_err("mistakes");
    let found: Vec<String> = mistakes.iter().map(|mistake| format!("{}: {}", mistake.path, mistake.message)).collect();
    let shown = "x".repeat(57);
    assert!(found.contains(&format!("links[0].name: '{shown}...' is too long for a name; at most 100 characters")), "{found:?}");
    assert!(found.contains(&format!("flows[0].class: '{shown}...' is too long to name a class; at most 100 characters")), "{found:?}");
}

#[test]
fn a_class_has_a_name_that_can_be_seen() {
    let mistakes = load(&PAGE.replace("\"voice\"", "\"vo\\u202eice\""), "page.toml", &[]).expect_err("mistakes");
    let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
    assert!(messages.contains(&"'vo\\u202Eice' cannot name a class; leave out characters that cannot be seen"), "{messages:?}");
}
