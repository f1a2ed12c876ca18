//! The words of a component, and the calls of its hooks.

use crate::declaration::Component;
use crate::fault::Fault;
use crate::hook::{Hook, FAULT};
use crate::parameters::Values;
use crate::views::View;
use penstock_model::probe::ReportVariable;
use penstock_model::rng::Stream;
use penstock_model::site::Site;
use std::sync::Arc;

/// A running component.
#[derive(Clone)]
pub(crate) struct Record {
    component: Arc<Component>,
    site: Arc<str>,
    /// Addresses of the streams, parameters, state.
    words: Box<[u64]>,
    streams: Box<[Stream]>,
    /// Both before the current call.
    before: (Box<[u64]>, Box<[Stream]>),
}

impl Record {
    /// A component at `site`, before its first call.
    pub fn new(component: &Arc<Component>, values: &Values, site: &Site) -> Record {
        let streams: Box<[Stream]> = component.streams.iter().map(|name| site.key.child(name).stream()).collect();
        let places = streams.iter().map(|_| 0);
        let words: Box<[u64]> = places.chain(values.words.iter().copied()).chain(component.initial.iter().copied()).collect();
        let before = (words.clone(), streams.clone());
        Record { component: Arc::clone(component), site: Arc::clone(&site.name), words, streams, before }
    }

    /// A word of the state, by its position among them.
    #[inline]
    pub fn state(&self, position: usize) -> i64 {
        self.words[self.component.first_state + position] as i64
    }

    /// Exchanges the first stream, if there is one, for another, which the engine passes for the duration of a call.
    pub fn swap_stream(&mut self, other: &mut Stream) {
        if let Some(own) = self.streams.first_mut() {
            std::mem::swap(own, other);
        }
    }

    /// Takes new values of the parameters.
    pub fn change(&mut self, values: &Values) {
        let first = self.streams.len();
        self.words[first..first + values.words.len()].copy_from_slice(&values.words);
    }

    /// Calls a hook.
    #[inline]
    pub fn call<A: View, B: View>(&mut self, name: &'static str, hook: Hook, views: (&mut A, &mut B), arguments: [i64; 2]) -> i64 {
        for (word, stream) in self.words.iter_mut().zip(&mut self.streams) {
            *word = std::ptr::from_mut(stream) as u64;
        }
        self.before.0.copy_from_slice(&self.words);
        self.before.1.clone_from_slice(&self.streams);
        // Copied only if hooks of this kind write them.
        let before = (*views.0, *views.1);
        let (first, second) = (std::ptr::from_mut(views.0).cast(), std::ptr::from_mut(views.1).cast());
        let [now, more] = arguments;
        // SAFETY: `crate::Components` got the address of a function of this type; the words and views are as long as it was compiled for.
        let answer = unsafe { hook(self.words.as_mut_ptr(), first, second, now, more) };
        let is_finite = self.component.floats.iter().all(|at| f64::from_bits(self.words[*at]).is_finite());
        if answer == FAULT || !is_finite {
            let seen = (if A::IS_WRITTEN { &before.0 } else { views.0 }, if B::IS_WRITTEN { &before.1 } else { views.1 });
            let what = if answer == FAULT { String::new() } else { self.infinite() };
            self.fail(name, what, seen, arguments);
        }
        answer
    }

    #[cold]
    fn infinite(&self) -> String {
        let infinite = self.component.floats.iter().find(|at| !f64::from_bits(self.words[**at]).is_finite());
        infinite.map_or(String::new(), |at| format!("'{}' became {}", self.component.state_name(*at), f64::from_bits(self.words[*at])))
    }

    /// Ends the run since a hook failed, or did `what` it may not; `views` are as they were before the call.
    #[cold]
    pub fn fail(&self, hook: &'static str, what: String, views: (&impl View, &impl View), arguments: [i64; 2]) -> ! {
        Fault {
            component: (self.component.kind, self.component.name),
            identity: self.component.identity,
            site: self.site.to_string(),
            hook,
            what,
            arguments,
            words: self.before.0.to_vec(),
            streams: self.before.1.to_vec(),
            views: [views.0.words().to_vec(), views.1.words().to_vec()],
        }
        .raise()
    }

    /// Reports the declared state.
    pub fn probe(&self, report: &mut ReportVariable<'_>) {
        for (variable, shown) in self.component.variables.iter().zip(&self.component.shown) {
            for (i, at) in (0..).zip(shown.words.clone()) {
                let word = self.words[at];
                let value = if shown.is_float { f64::from_bits(word) } else { word as i64 as f64 };
                report(variable, shown.is_list.then_some(i), value);
            }
        }
    }
}
