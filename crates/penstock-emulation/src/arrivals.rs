//! The log of packets from outside, from which a run can be repeated.

use penstock_engine::injection::{Arrival, Marking};
use penstock_model::id::FlowId;
use penstock_model::packet::Ecn;
use penstock_model::units::Time;

/// Columns of the log.
const HEADER: &str = "time_ps,flow,size,ecn,precedence";

fn arrival(line: &str) -> Option<Arrival> {
    let mut values = line.split(',');
    let mut next = || values.next()?.parse::<u64>().ok();
    let (at, flow, size, ecn, precedence) = (next()?, next()?, next()?, next()?, next()?);
    let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce].get(usize::try_from(ecn).ok()?).copied()?;
    let marking = Marking { ecn, precedence: u8::try_from(precedence).ok()? };
    let (flow, size) = (FlowId(u32::try_from(flow).ok()?), u32::try_from(size).ok()?);
    values.next().is_none().then_some(Arrival { at: Time::from_ps(at), flow, size, marking: Some(marking) })
}

/// The fields of a packet that is logged without them.
const UNMARKED: Marking = Marking { ecn: Ecn::NotEct, precedence: 0 };

/// The log as CSV, one line per arrival, in the order of entering.
pub fn write(arrivals: &[Arrival]) -> String {
    use std::fmt::Write;
    let mut text = format!("{HEADER}\n");
    for Arrival { at, flow, size, marking } in arrivals {
        let Marking { ecn, precedence } = marking.unwrap_or(UNMARKED);
        let fields = (at.as_ps(), flow.0, size, ecn as u8, precedence);
        writeln!(text, "{},{},{},{},{}", fields.0, fields.1, fields.2, fields.3, fields.4).expect("memory does not fail to be written");
    }
    text
}

/// Reads a log that [`write`] made.
///
/// # Errors
/// Names the first line that is not an arrival, counted from 1, and says why.
pub fn read(text: &str) -> Result<Vec<Arrival>, String> {
    let mut lines = (1..).zip(text.lines());
    match lines.next() {
        Some((_, HEADER)) => lines.map(|(number, line)| arrival(line).ok_or_else(|| format!("line {number}: not {HEADER}"))).collect(),
        _ => Err(format!("line 1: the header of an arrival log is {HEADER}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_written_is_read() {
        let marking = |ecn, precedence| Some(Marking { ecn, precedence });
        let arrivals = [
            Arrival { at: Time::from_ps(u64::MAX), flow: FlowId(3), size: 1500, marking: marking(Ecn::Ce, 2) },
            Arrival { at: Time::from_ps(0), flow: FlowId(0), size: 40, marking: marking(Ecn::Ect1, 0) },
        ];
        let text = write(&arrivals);
        assert_eq!(text, "time_ps,flow,size,ecn,precedence\n18446744073709551615,3,1500,3,2\n0,0,40,1,0\n");
        assert_eq!(read(&text), Ok(arrivals.to_vec()));
    }

    #[test]
    fn mistakes_name_their_line() {
        let log = |line: &str| read(&format!("{HEADER}\n1,0,40,0,0\n{line}\n"));
        for line in ["1,0,40,0", "1,0,40,0,0,0", "1,0,40,4,0", "-1,0,40,0,0", "1,0,40,0,256", ""] {
            assert_eq!(log(line), Err(format!("line 3: not {HEADER}")), "{line}");
        }
        assert_eq!(read("time,flow"), Err(format!("line 1: the header of an arrival log is {HEADER}")));
        assert!(read("").is_err());
    }
}
