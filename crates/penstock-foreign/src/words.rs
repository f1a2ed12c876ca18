//! What hooks read and write of a component: addresses of its streams, its parameters and its state.

use penstock_model::rng::Stream;

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
    /// The words of a component with these streams, parameters and state.
    pub fn new(streams: Box<[Stream]>, parameters: &[u64], state: &[u64]) -> Words {
        let words = streams.iter().map(|_| &0).chain(parameters).chain(state).copied().collect();
        let first_state = streams.len() + parameters.len();
        Words { words, streams, first_state }.addressed()
    }

    /// With the addresses of its streams, which stay where they are.
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

    /// Takes new values of the parameters.
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

    /// Copies what hooks write from the words of the same component.
    #[inline]
    pub fn copy_state(&mut self, other: &Words) {
        self.words[self.first_state..].copy_from_slice(other.state());
        self.streams.clone_from_slice(&other.streams);
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
        assert_eq!((one.state(), &one.to_vec()[1..]), (&[8, 9][..], &[7, 8, 9][..]));
        assert_ne!(one.to_vec()[0], other.to_vec()[0]);
        let drawn = one.streams[0].bits();
        assert_eq!(other.streams[0].bits(), drawn);
        one.streams[0].bits();
        one.change(&[1]);
        one.words[2] = 5;
        other.copy_state(&one);
        assert_eq!(&other.to_vec()[1..], [7, 5, 9]);
        assert_eq!(other.streams[0].bits(), one.streams[0].bits());
    }
}
