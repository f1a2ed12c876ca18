//! The order of a trace.

use crate::api::trace::TraceRow;

/// Brings the rows of all processes into the order of a trace, in memory that it keeps for the next ones.
#[derive(Clone, Debug, Default)]
pub(super) struct TraceSorter {
    /// An empty list for rows that are to be sorted, with the memory of the last ones.
    pub unsorted: Vec<TraceRow>,
    /// Time, place and position of each row, from the highest bits to the lowest: a single number is compared fastest.
    keys: Vec<u128>,
}

impl TraceSorter {
    /// Appends those of the rows `unsorted` that `keeps` wants to `rows`, by time, then by place, then in their order.
    pub fn sort(&mut self, mut unsorted: Vec<TraceRow>, mut keeps: impl FnMut(&TraceRow) -> bool, rows: &mut Vec<TraceRow>) {
        let kept = unsorted.iter().enumerate().filter(|(_, row)| keeps(row));
        self.keys.clear();
        self.keys.extend(kept.map(|(i, row)| {
            let position = u32::try_from(i).expect("fewer rows than 2^32 between two looks at a trace");
            u128::from(row.time.as_ps()) << 64 | u128::from(row.place) << 32 | u128::from(position)
        }));
        self.keys.sort_unstable();
        rows.extend(self.keys.iter().map(|key| unsorted[*key as u32 as usize]));
        unsorted.clear();
        self.unsorted = unsorted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::trace::{TraceEvent, TraceSubject};
    use penstock_model::units::Time;

    fn row(time: u64, place: u32, flow: u32) -> TraceRow {
        TraceRow { time: Time::from_ps(time), place, event: TraceEvent::Window, subject: TraceSubject::Flow(flow) }
    }

    #[test]
    fn rows_are_sorted_by_time_and_place_and_stay_in_their_order_otherwise() {
        let mut sorter = TraceSorter::default();
        let unsorted = vec![row(1 << 40, 0, 0), row(3, 7, 1), row(3, 2, 2), row(3, 7, 3), row(0, 9, 4), row(2, 0, 5)];
        // Rows that are there already stay in front.
        let mut rows = vec![row(5, 5, 9)];
        sorter.sort(unsorted, |row| row.flow() != 5, &mut rows);
        assert_eq!(rows.iter().map(TraceRow::flow).collect::<Vec<_>>(), [9, 4, 2, 1, 3, 0]);
        assert!(sorter.unsorted.is_empty());
    }
}
