//! Faults of hooks, which end the run.

use crate::log::Log;
use crate::words::Words;

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
    /// The component's own words some calls before, and the calls since, this one included.
    pub(crate) words: Words,
    pub(crate) calls: Log,
    /// The words of the views before the call.
    pub views: [Vec<u64>; 2],
}

impl Fault {
    /// The component's own words before the call, with the addresses of its streams, which live as long as the fault.
    pub fn words(&mut self) -> Vec<u64> {
        self.calls.repeat_but_last(&mut self.words);
        self.calls.clear();
        self.words.to_vec()
    }

    /// Ends the run: unwinds without the message of a panic, since the mistake is the author's.
    pub(crate) fn raise(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }
}
