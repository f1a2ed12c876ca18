//! The calls since a checkpoint of a component's words: they are repeated to get the words before a call that failed.
//!
//! A checkpoint costs as much as the state is long, and an entry of the log as much as the views. A short state is copied before each
//! call. A longer one is copied once for a number of calls, so that the cost of a call does not grow with the state.

use crate::hook::{hook, Hook};
use crate::words::Words;

/// The longest state that is copied before each call, and the part of a longer one that is copied for a call, in words.
const SHORT: usize = 32;

/// Calls since a checkpoint.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// Number of calls.
    calls: usize,
    /// How many calls one checkpoint serves.
    period: usize,
    /// The calls, one after the other: address of the hook, two arguments, and each view behind its length.
    words: Vec<u64>,
}

impl Log {
    /// An empty log for a component with `state` words of state.
    pub fn for_words(state: usize) -> Log {
        Log { calls: 0, period: (state / SHORT).max(1), words: Vec::new() }
    }

    /// Whether a checkpoint is due before the next call.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.calls == self.period
    }

    /// Forgets all calls.
    #[inline]
    pub fn clear(&mut self) {
        self.calls = 0;
        self.words.clear();
    }

    /// Adds a call.
    #[inline]
    pub fn add(&mut self, hook: Hook, first: &[u64], second: &[u64], arguments: [i64; 2]) {
        self.calls += 1;
        if self.period > 1 {
            self.add_entry(hook, first, second, arguments);
        }
    }

    fn add_entry(&mut self, hook: Hook, first: &[u64], second: &[u64], arguments: [i64; 2]) {
        let [now, more] = arguments.map(|it| it as u64);
        self.words.extend([hook as usize as u64, now, more, first.len() as u64, second.len() as u64]);
        self.words.extend_from_slice(first);
        self.words.extend_from_slice(second);
    }

    /// Repeats all calls but the last one, from the words of the checkpoint on.
    pub fn repeat_but_last(&self, own: &mut Words) {
        let mut words = self.words.as_slice();
        for _ in 1..self.calls {
            let (&[address, now, more, first, second], rest) = words.split_first_chunk().expect("an entry begins");
            let (first, rest) = rest.split_at(first as usize);
            let (second, rest) = rest.split_at(second as usize);
            let (mut first, mut second) = (first.to_vec(), second.to_vec());
            // SAFETY: the call was made with such words and views before.
            unsafe { hook(address as usize)(own.as_mut_ptr(), first.as_mut_ptr(), second.as_mut_ptr(), now as i64, more as i64) };
            words = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds the first word of the view and the time to the first word of the state, and spoils the view.
    unsafe extern "C" fn add(own: *mut u64, first: *mut u64, _second: *mut u64, now: i64, _more: i64) -> i64 {
        // SAFETY: the test calls it with a word of state and a word of view.
        unsafe {
            *own += *first + now as u64;
            *first = 0;
        }
        1
    }

    #[test]
    fn the_words_before_the_last_call_come_from_the_checkpoint_and_the_calls_since() {
        let state = vec![0; 4 * SHORT];
        let mut own = Words::new([].into(), &[], &state);
        let (mut checkpoint, mut log) = (own.clone(), Log::for_words(state.len()));
        for call in 1..=10 {
            let before = own.state().to_vec();
            if log.is_full() {
                checkpoint.copy_state(&own);
                log.clear();
            }
            let mut view = [100];
            log.add(add, &view, &[], [call, 0]);
            // SAFETY: it gets a word of state and a word of view.
            unsafe { add(own.as_mut_ptr(), view.as_mut_ptr(), std::ptr::null_mut(), call, 0) };
            let mut repeated = checkpoint.clone();
            log.repeat_but_last(&mut repeated);
            assert_eq!(repeated.state(), before);
        }
        assert_eq!(own.state()[0], 1055);
        assert_eq!(log.calls, 2, "a checkpoint serves four calls");
    }

    #[test]
    fn a_short_state_is_copied_before_each_call() {
        let mut log = Log::for_words(3);
        log.add(add, &[1], &[], [0, 0]);
        assert!(log.is_full() && log.words.is_empty());
    }
}
