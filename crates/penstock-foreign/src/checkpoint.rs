//! The words of a component before the last call of a hook, for the message of a fault.
//!
//! A short state is copied before each call. A longer one is copied once for a number of calls, which are recorded with their views and
//! repeated after a fault, so that the cost of a call does not grow with the state.

use crate::hook::{hook, Hook};
use crate::words::Words;

/// The part of a longer state that is copied for a call, in words.
const SHARE: usize = 32;

/// A copy of a component's words, and the calls since.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint {
    words: Words,
    /// Number of calls since the copy, and maximum number of calls per copy.
    calls: usize,
    period: usize,
    /// Whether the words have changed by anything but a call.
    is_stale: bool,
    /// The calls, one after the other: address of the hook, two arguments, and each view behind its length.
    log: Vec<u64>,
}

impl Checkpoint {
    /// The words before the first call.
    pub fn new(own: &Words) -> Checkpoint {
        let period = (own.state().len() / SHARE).max(1);
        Checkpoint { words: own.clone(), calls: 0, period, is_stale: false, log: Vec::new() }
    }

    /// Keeps the words of `own`, which a call is about to change.
    #[inline]
    pub fn before_call(&mut self, own: &Words, hook: Hook, views: [&[u64]; 2], arguments: [i64; 2]) {
        if !self.words.copy_if_short(own) {
            self.add(own, hook, views, arguments);
        }
    }

    /// Records a call of a component with a longer state.
    #[inline(never)]
    fn add(&mut self, own: &Words, hook: Hook, views: [&[u64]; 2], arguments: [i64; 2]) {
        if self.is_stale || self.calls == self.period {
            self.words.copy(own);
            self.calls = 0;
            self.is_stale = false;
            self.log.clear();
        }
        self.calls += 1;
        if self.period > 1 {
            let [now, more] = arguments.map(|it| it as u64);
            let [first, second] = views;
            self.log.extend([hook as usize as u64, now, more, first.len() as u64, second.len() as u64]);
            self.log.extend_from_slice(first);
            self.log.extend_from_slice(second);
        }
    }

    /// Makes the next call copy the words first, since they change by something other than a call.
    #[inline]
    pub fn invalidate(&mut self) {
        self.is_stale = true;
    }

    /// Returns the words before the last call, by repeating the calls before it.
    pub fn before_last_call(&mut self) -> &Words {
        let mut words = self.log.as_slice();
        for _ in 1..self.calls {
            let (&[address, now, more, first, second], rest) = words.split_first_chunk().expect("an entry begins");
            let (first, rest) = rest.split_at(first as usize);
            let (second, rest) = rest.split_at(second as usize);
            let (mut first, mut second) = (first.to_vec(), second.to_vec());
            let own = self.words.as_mut_ptr();
            // SAFETY: the call was made with such words and views before.
            unsafe { hook(address as usize)(own, first.as_mut_ptr(), second.as_mut_ptr(), now as i64, more as i64) };
            words = rest;
        }
        (self.calls, self.log) = (0, Vec::new());
        &self.words
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
    fn the_words_before_the_last_call_are_remembered() {
        for length in [1, 8, 9, 16, 17, 31, 4 * SHARE] {
            let mut own = Words::new([].into(), &[], &vec![1; length]);
            let mut checkpoint = Checkpoint::new(&own);
            for call in 1..=10 {
                if call == 6 {
                    // SAFETY: the state has as many words.
                    unsafe { *own.as_mut_ptr().add(length - 1) = 77 };
                    checkpoint.invalidate();
                }
                let before = own.state().to_vec();
                let mut view = [100];
                checkpoint.before_call(&own, add, [&view, &[]], [call, 0]);
                // SAFETY: it gets a word of state and a word of view.
                unsafe { add(own.as_mut_ptr(), view.as_mut_ptr(), std::ptr::null_mut(), call, 0) };
                assert_eq!(checkpoint.clone().before_last_call().state(), before, "{length} words, call {call}");
            }
            assert_eq!(checkpoint.log.is_empty(), length < 4 * SHARE, "{length} words");
        }
    }
}
