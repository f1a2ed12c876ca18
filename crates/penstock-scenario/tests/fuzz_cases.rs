//! Cases that once failed under `make fuzz`, each minimised, and cases that are kept for their coverage.

mod fuzz;

use fuzz::{check, Effort};
use std::path::Path;

/// The settings in a line `# sets: [["path", "value"]]`.
fn sets(text: &str) -> Vec<(String, String)> {
    text.lines().find_map(|line| line.strip_prefix("# sets: ")).map_or_else(Vec::new, |sets| serde_json::from_str(sets).expect("pairs"))
}

#[test]
fn kept_cases_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder of cases").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a case");
        for cut in 0..4 {
            let report = check(&text, &sets(&text), Effort { events: 5_000, cut });
            if let Err(message) = report.outcome {
                wrong.push(format!("{}: {message}", file.display()));
            }
            // Ten times the limit of `make fuzz`, since the machine may be busy with other work.
            if report.longest.1 > 10.0 {
                wrong.push(format!("{}: {} takes {:.1} s", file.display(), report.longest.0, report.longest.1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
