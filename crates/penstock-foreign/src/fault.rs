//! Faults of hooks, which end the run.

use penstock_model::rng::Stream;

/// A hook that failed, and all that it saw, so that it can be called again outside of the run.
#[derive(Debug)]
pub struct Fault {
    /// Kind and name of the component.
    pub component: (&'static str, &'static str),
    /// The identity of the file that it is in.
    pub identity: &'static str,
    /// Name of its place, such as a link.
    pub site: String,
    /// The hook.
    pub hook: &'static str,
    /// What was wrong with its answer or with the state that it left; empty if it raised an exception.
    pub what: String,
    /// The time and the other argument.
    pub arguments: [i64; 2],
    /// The component's own words before the call.
    pub(crate) words: Vec<u64>,
    /// The component's streams before the call.
    pub(crate) streams: Vec<Stream>,
    /// The words of the views before the call.
    pub views: [Vec<u64>; 2],
}

impl Fault {
    /// The component's own words before the call, with the addresses of its streams, which live as long as the fault.
    pub fn words(&mut self) -> Vec<u64> {
        for (word, stream) in self.words.iter_mut().zip(&mut self.streams) {
            *word = std::ptr::from_mut(stream) as u64;
        }
        self.words.clone()
    }

    /// Ends the run: unwinds without the message of a panic, since the mistake is the author's.
    pub(crate) fn raise(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }
}
