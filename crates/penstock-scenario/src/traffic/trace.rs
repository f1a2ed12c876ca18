//! The packets of a trace, from its file.

use crate::read::csv::{Column, FileMistakes};
use crate::read::section::Section;
use crate::read::{capture, csv};
use penstock_model::printable::file_name;
use penstock_model::source::size::LARGEST;
use penstock_model::source::SourcePlan;
use penstock_model::units::Duration;
use std::path::Path;

/// The columns of a table of packets.
const COLUMNS: [Column; 2] = [("time", true), ("size", true)];

/// The source with the packets of its file, if it is a trace; `None` after a mistake.
pub(super) fn filled(section: &Section<'_>, mut source: SourcePlan) -> Option<SourcePlan> {
    let SourcePlan::Trace(trace) = &mut source else { return Some(source) };
    let name = &trace.file.name;
    let read = section.mistakes.files.read(name, &COLUMNS).map_err(|message| vec![message]);
    match read.and_then(|content| packets(&content, name)) {
        Ok(packets) => trace.file.fill(&packets),
        Err(messages) => {
            let location = section.location_below(&["source", "trace", "file"]);
            section.mistakes.add_all(location, &section.join("source.trace.file"), messages);
            return None;
        }
    }
    Some(source)
}

/// Warns if packets come more than `span` after the start, which is when the run ends.
pub(super) fn warn_if_cut(section: &Section<'_>, source: &SourcePlan, span: Duration) {
    let SourcePlan::Trace(trace) = source else { return };
    let mut at = Duration::ZERO;
    let mut late = 0;
    for emission in trace.file.emissions.iter() {
        at = at + emission.after;
        late += usize::from(at > span);
    }
    if late > 0 {
        let (all, name) = (trace.file.emissions.len(), file_name(&trace.file.name));
        let message = format!(
            "{late} of the {all} packets of {name} are not sent: they come after the end of the run, the last one {at} after the start"
        );
        section.mistakes.warn(section.location_below(&["source", "trace", "file"]), &section.join("source.trace.file"), message);
    }
}

/// The packets of a file by ascending times.
fn packets(content: &[u8], name: &str) -> Result<Vec<(Duration, u32)>, Vec<String>> {
    let mut found: Vec<(Duration, u32)> = Vec::new();
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "csv" | "parquet" => csv::rows(content, name, COLUMNS, |[time, size]| {
            let at = Duration::from_ps(csv::picoseconds(time)?);
            if let Some((before, _)) = found.last().filter(|(before, _)| *before > at) {
                return Err(format!("{at} is before the packet before it, at {before}; times must ascend"));
            }
            found.push((at, csv::bytes(size, LARGEST)? as u32));
            Ok(())
        })?,
        "pcap" | "pcapng" => found = captured(content, name)?,
        _ => return Err(vec![format!("{}: ends with none of .csv, .parquet, .pcap, .pcapng", file_name(name))]),
    }
    if found.is_empty() {
        return Err(vec![format!("{}: has no packets", file_name(name))]);
    }
    Ok(found)
}

/// The packets of a capture.
fn captured(content: &[u8], name: &str) -> Result<Vec<(Duration, u32)>, Vec<String>> {
    let told = |message| format!("{}: {message}", file_name(name));
    let packets = capture::packets(content).map_err(|message| vec![told(message)])?;
    let mut mistakes = FileMistakes::default();
    let (mut latest, mut found) = (0, Vec::with_capacity(packets.len()));
    for (number, (ps, size)) in (1..).zip(packets) {
        if size == 0 || u64::from(size) > LARGEST {
            mistakes.add(|| told(format!("packet {number} has {size} bytes; at least 1 and at most {LARGEST}")));
        }
        if ps < latest {
            let sort = "sort the capture by time, as reordercap does";
            mistakes.add(|| told(format!("packet {number} is earlier than the one before it; {sort}")));
        }
        latest = ps;
        found.push((Duration::from_ps(u64::try_from(ps).unwrap_or_default()), size));
    }
    mistakes.result(name).map(|()| found)
}
