//! Number of calls in each aggregate of a group.

use crate::parameters::{Count, Kind, Parameter, Value};

/// Number of calls: the same in every aggregate of a group, or one for each aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallCounts(Numbers);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Numbers {
    Same(u32),
    Each(Vec<u32>),
}

impl CallCounts {
    /// The same number of calls in every aggregate.
    pub const fn same(calls: u32) -> CallCounts {
        CallCounts(Numbers::Same(calls))
    }

    /// Number of calls in the aggregate with this number. Panics if the numbers are listed and the list is shorter.
    pub fn of(&self, aggregate: u32) -> u32 {
        match &self.0 {
            Numbers::Same(calls) => *calls,
            Numbers::Each(calls) => calls[aggregate as usize],
        }
    }

    /// Number of calls in `aggregates` together. Panics as [`CallCounts::of`] does.
    pub fn total(&self, aggregates: usize) -> u64 {
        match &self.0 {
            Numbers::Same(calls) => (aggregates as u64).saturating_mul(u64::from(*calls)),
            Numbers::Each(calls) => calls[..aggregates].iter().map(|calls| u64::from(*calls)).sum(),
        }
    }

    /// Length of the list of numbers; `None` if all aggregates have the same.
    pub fn listed(&self) -> Option<usize> {
        match &self.0 {
            Numbers::Same(_) => None,
            Numbers::Each(calls) => Some(calls.len()),
        }
    }
}

impl Parameter for CallCounts {
    const KIND: Kind = Kind::IntegerOrList;
    const RANGE: &'static str = "a whole number, at least 1; or a list of them, one for each aggregate, where some may be 0";
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::List(values) = value else {
            return Count::from_value(value).map(|Count(calls)| CallCounts::same(calls));
        };
        let each = values.iter().enumerate().map(|(i, value)| match value {
            Value::Integer(0) => Ok(0),
            other => Count::from_value(other)
                .map(|Count(calls)| calls)
                .map_err(|_| format!("item {i}: {} is out of range; a whole number, at least 0", other.quoted())),
        });
        let each = each.collect::<Result<Vec<u32>, String>>()?;
        if each.iter().all(|calls| *calls == 0) {
            return Err("there would be no calls in any aggregate; leave it out".to_owned());
        }
        Ok(CallCounts(Numbers::Each(each)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[i64]) -> Result<CallCounts, String> {
        CallCounts::from_value(&Value::List(values.iter().map(|number| Value::Integer(*number)).collect()))
    }

    #[test]
    fn one_number_is_that_of_every_aggregate() {
        let counts = CallCounts::from_value(&Value::Integer(7)).expect("a number");
        assert_eq!((counts.of(0), counts.of(3), counts.total(4), counts.listed()), (7, 7, 28, None));
        assert_eq!(CallCounts::same(u32::MAX).total(usize::MAX), u64::MAX);
    }

    #[test]
    fn a_list_gives_each_its_own() {
        let counts = read(&[3, 0, 5]).expect("a list");
        assert_eq!((counts.of(0), counts.of(1), counts.of(2), counts.total(3), counts.listed()), (3, 0, 5, 8, Some(3)));
    }

    #[test]
    fn no_calls_at_all_are_refused() {
        let mistake = |result: Result<CallCounts, String>| result.expect_err("a mistake");
        assert_eq!(mistake(CallCounts::from_value(&Value::Integer(0))), "0 is out of range; a whole number, at least 1");
        assert_eq!(mistake(read(&[])), "there would be no calls in any aggregate; leave it out");
        assert_eq!(mistake(read(&[0, 0])), "there would be no calls in any aggregate; leave it out");
        assert_eq!(mistake(read(&[1, -1])), "item 1: -1 is out of range; a whole number, at least 0");
        assert_eq!(mistake(read(&[1 << 32])), "item 0: 4294967296 is out of range; a whole number, at least 0");
    }
}
