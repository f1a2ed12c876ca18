//! Traffic from files: reading, the identity of a run, and messages about malformed files.

mod common;
use common::{changed, FLOW};
use penstock_engine::{blueprint::Blueprint, Cancel, Sim};
use penstock_scenario::{load_with, Mistake, ReadOptions, ValidScenario};
use std::fs;
use std::path::{Path, PathBuf};

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trace-files").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The small scenario with the trace `file` instead of its flow's source, read from `folder`.
fn read(folder: &Path, file: &str) -> Result<ValidScenario, Vec<Mistake>> {
    let text = changed(FLOW, &format!("source.trace = {{ file = \"{file}\" }}"));
    let parquet = |_: &Path, columns: &[(&str, bool)]| {
        assert_eq!(columns, [("time", true), ("size", true)]);
        Ok(b"size,time\n40,0.5\n".to_vec())
    };
    load_with(
        &Cancel::default(),
        &text,
        "t.toml",
        &[],
        ReadOptions { folder: Some(folder.to_owned()), parquet: Some(parquet), ..ReadOptions::default() },
    )
}

/// The one mistake of the scenario with a file of this content.
fn mistake(name: &str, file: &str, content: &[u8]) -> String {
    let folder = folder(name);
    fs::write(folder.join(file), content).expect("written");
    match read(&folder, file).expect_err("a mistake").as_slice() {
        [only] => only.to_string(),
        several => panic!("{several:?}"),
    }
}

fn sent(scenario: &ValidScenario) -> (u64, u64) {
    let blueprint: Blueprint = scenario.blueprint(None, 0);
    let flow = Sim::new(blueprint).expect("sound").run().flows[0];
    (flow.received.packets, flow.received.bytes)
}

#[test]
fn packets_come_from_csv_and_parquet_beside_the_scenario() {
    let folder = folder("read");
    fs::write(folder.join("a.csv"), "# two packets\nsize,flow,time\n1500,x,0\n\n40,y,2.5e-3\n").expect("written");
    fs::write(folder.join("b.parquet"), "any").expect("written");
    assert_eq!(sent(&read(&folder, "a.csv").expect("sound")), (2, 1540));
    assert_eq!(sent(&read(&folder, "b.parquet").expect("sound")), (1, 40));
}

#[test]
fn the_content_identifies_a_run() {
    let folder = folder("identity");
    let canonical = |content: &str| {
        fs::write(folder.join("a.csv"), content).expect("written");
        read(&folder, "a.csv").expect("sound").canonical().to_owned()
    };
    let first = canonical("time,size\n0,40\n");
    assert_ne!(first, canonical("time,size\n0,41\n"));
    assert_eq!(first, canonical("time,size\n0,40\n"));
    // The digest as `sha256sum` gives it.
    let digest = "b033b9e88684546a68f2a3afa3977ad7c9fbbfcdadd4233a982f7160f0773bc1";
    assert!(first.contains(&format!(r#""files":{{"a.csv":"{digest}"}}"#)), "{first}");
}

#[test]
fn wrong_files_are_named_with_their_line() {
    let place = "t.toml:15: flows[0].source.trace.file: ";
    assert_eq!(
        mistake("order", "a.csv", b"time,size\n0.002,40\n0.001,40\n"),
        format!("{place}a.csv:3: 1 ms is before the packet before it, at 2 ms; times must ascend")
    );
    assert_eq!(mistake("negative", "a.csv", b"time,size\n-1,40\n"), format!("{place}a.csv:2: '-1' is a negative time"));
    assert_eq!(mistake("size", "a.csv", b"time,size\n0,0\n"), format!("{place}a.csv:2: '0' is not a number of bytes between 1 and 65535"));
    assert_eq!(
        mistake("column", "a.csv", b"time,bytes\n0,1\n"),
        format!("{place}a.csv:1: has no column 'size' but 'time', 'bytes'; the first line names the columns: time,size")
    );
    assert_eq!(mistake("none", "a.csv", b"time,size\n"), format!("{place}a.csv: has no packets"));
    assert_eq!(mistake("kind", "a.txt", b"time,size\n"), format!("{place}a.txt: ends with none of .csv, .parquet, .pcap, .pcapng"));
    assert_eq!(mistake("capture", "a.pcap", b"time,size\n"), format!("{place}a.pcap: is neither pcap nor pcapng"));
    let all = folder("all");
    fs::write(all.join("a.csv"), b"time,size\n\"-1\",40\n0,\"a,b\"\n0,40\n").expect("written");
    let several: Vec<String> = read(&all, "a.csv").expect_err("mistakes").iter().map(ToString::to_string).collect();
    let second = "a.csv:3: 'a,b' is not a number of bytes between 1 and 65535";
    assert_eq!(several, [format!("{place}a.csv:2: '-1' is a negative time"), format!("{place}{second}")]);
    let missing = read(&folder("missing"), "a.csv").expect_err("a mistake")[0].to_string();
    assert_eq!(missing, format!("{place}a.csv: there is no such file; names are relative to the scenario's folder"));
    let device = read(Path::new("/"), "dev/zero").expect_err("a mistake")[0].to_string();
    assert_eq!(device, format!("{place}dev/zero: is not a file"));
}
