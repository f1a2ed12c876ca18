//! The words of a component that hooks read and write: the addresses of its streams, its parameters and its state.

use penstock_model::rng::Stream;

/// A block of words, whose copy needs no loop.
const BLOCK: usize = 8;
/// Length of the longest state that is copied block by block.
const SHORT: usize = 2 * BLOCK;

/// The words of a component, and its streams.
#[derive(Debug)]
pub(crate) struct Words {
    words: Box<[u64]>,
    streams: Box<[Stream]>,
    /// The position of the state.
    first_state: usize,
}

impl Clone for Words {
    fn clone(&self) -> Words {
        let (words, streams) = (self.words.clone(), self.streams.clone());
        Words { words, streams, first_state: self.first_state }.addressed()
    }
}

impl Words {
    /// The words of a component with these streams, parameters and state. A short state is padded to whole blocks.
    pub fn new(streams: Box<[Stream]>, parameters: &[u64], state: &[u64]) -> Words {
        let padding = if state.len() <= SHORT { state.len().max(1).next_multiple_of(BLOCK) - state.len() } else { 0 };
        let zeros = |count| std::iter::repeat_n(&0, count);
        let words = zeros(streams.len()).chain(parameters).chain(state).chain(zeros(padding)).copied().collect();
        let first_state = streams.len() + parameters.len();
        Words { words, streams, first_state }.addressed()
    }

    /// Writes the addresses of the streams, which do not move, into the words.
    fn addressed(mut self) -> Words {
        for (word, stream) in self.words.iter_mut().zip(&mut self.streams) {
            *word = std::ptr::from_mut(stream).expose_provenance() as u64;
        }
        self
    }

    /// The state.
    #[inline]
    pub fn state(&self) -> &[u64] {
        &self.words[self.first_state..]
    }

    /// All words, for a hook.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut u64 {
        self.words.as_mut_ptr()
    }

    /// All words.
    pub fn to_vec(&self) -> Vec<u64> {
        self.words.to_vec()
    }

    /// Replaces the values of the parameters.
    pub fn change(&mut self, parameters: &[u64]) {
        self.words[self.streams.len()..self.first_state].copy_from_slice(parameters);
    }

    /// Exchanges the first stream, if there is one, for another.
    #[inline]
    pub fn swap_stream(&mut self, other: &mut Stream) {
        if let Some(own) = self.streams.first_mut() {
            std::mem::swap(own, other);
        }
    }

    /// Copies state and streams from the words of the same component: all that hooks write.
    pub fn copy(&mut self, other: &Words) {
        self.words[self.first_state..].copy_from_slice(other.state());
        self.streams.clone_from_slice(&other.streams);
    }

    /// Does as [`Words::copy`] if the state is short; returns whether it is.
    ///
    /// The lengths of the copies are constants, since a copy of unknown length takes a noticeable part of the time of a call.
    #[inline]
    pub fn copy_if_short(&mut self, other: &Words) -> bool {
        let (to, from) = (&mut self.words[self.first_state..], other.state());
        match (to.split_first_chunk_mut::<BLOCK>(), from.split_first_chunk::<BLOCK>()) {
            (Some((to, to_rest)), Some((from, from_rest))) if to_rest.len() <= BLOCK => {
                *to = *from;
                if let (Some(to), Some(from)) = (to_rest.first_chunk_mut::<BLOCK>(), from_rest.first_chunk::<BLOCK>()) {
                    *to = *from;
                }
            }
            _ => return false,
        }
        self.streams.clone_from_slice(&other.streams);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_model::rng::Key;

    #[test]
    fn copies_draw_from_streams_of_their_own() {
        let mut one = Words::new([Key::root(1, 0).stream()].into(), &[7], &[8, 9]);
        let mut other = one.clone();
        assert_eq!((&one.state()[..2], &one.to_vec()[1..4]), (&[8, 9][..], &[7, 8, 9][..]));
        assert_ne!(one.to_vec()[0], other.to_vec()[0]);
        let drawn = one.streams[0].bits();
        assert_eq!(other.streams[0].bits(), drawn);
        one.streams[0].bits();
        one.change(&[1]);
        one.words[2] = 5;
        other.copy(&one);
        assert_eq!(other.to_vec()[1..4], [7, 5, 9]);
        assert_eq!(other.streams[0].bits(), one.streams[0].bits());
    }
}
