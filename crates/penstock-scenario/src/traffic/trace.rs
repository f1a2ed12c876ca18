//! The packets of a trace, from its file.

use crate::read::section::Section;
use crate::read::{capture, csv};
use penstock_model::printable::file_name;
use penstock_model::source::size::LARGEST;
use penstock_model::source::SourcePlan;
use penstock_model::units::Duration;
use std::path::Path;

/// The source with the packets of its file, if it is a trace; `None` after a mistake.
pub(super) fn filled(section: &Section<'_>, mut source: SourcePlan) -> Option<SourcePlan> {
    let SourcePlan::Trace(trace) = &mut source else { return Some(source) };
    let name = &trace.file.name;
    let packets = section.mistakes.files.read(name).and_then(|content| packets(&content, name));
    match packets {
        Ok(packets) => trace.file.fill(&packets),
        Err(message) => {
            let location = section.location_below(&["source", "trace", "file"]);
            section.mistakes.add(location, &section.join("source.trace.file"), message);
            return None;
        }
    }
    Some(source)
}

/// The packets of a file by ascending times.
fn packets(content: &[u8], name: &str) -> Result<Vec<(Duration, u32)>, String> {
    let mut found: Vec<(Duration, u32)> = Vec::new();
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "csv" | "parquet" => csv::rows(content, name, [("time", true), ("size", true)], |[time, size]| {
            let at = Duration::from_ps(csv::picoseconds(time)?);
            if let Some((before, _)) = found.last().filter(|(before, _)| *before > at) {
                return Err(format!("{at} is before the packet before it, at {before}; times must ascend"));
            }
            found.push((at, csv::bytes(size, LARGEST)? as u32));
            Ok(())
        })?,
        "pcap" | "pcapng" => {
            for (i, (ps, size)) in
                capture::packets(content).map_err(|message| format!("{}: {message}", file_name(name)))?.into_iter().enumerate()
            {
                if size == 0 || u64::from(size) > LARGEST {
                    return Err(format!("{}: packet {} has {size} bytes; at least 1 and at most {LARGEST}", file_name(name), i + 1));
                }
                found.push((Duration::from_ps(ps), size));
            }
        }
        _ => return Err(format!("{}: ends with none of .csv, .parquet, .pcap, .pcapng", file_name(name))),
    }
    if found.is_empty() {
        return Err(format!("{}: has no packets", file_name(name)));
    }
    Ok(found)
}
