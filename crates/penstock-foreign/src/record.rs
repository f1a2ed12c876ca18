//! The words of a component, and the calls of its hooks.

use crate::checkpoint::Checkpoint;
use crate::declaration::Component;
use crate::fault::Fault;
use crate::hook::{Hook, FAULT};
use crate::parameters::Values;
use crate::views::View;
use crate::words::Words;
use penstock_model::packet::Packet;
use penstock_model::probe::ReportVariable;
use penstock_model::rng::Stream;
use penstock_model::site::Site;
use std::sync::Arc;

/// A running component.
#[derive(Clone)]
pub(crate) struct Record {
    component: Arc<Component>,
    site: Arc<str>,
    own: Words,
    checkpoint: Checkpoint,
}

impl Record {
    /// A component at `site`, before its first call.
    pub fn new(component: &Arc<Component>, values: &Values, site: &Site) -> Record {
        let streams = component.streams.iter().map(|name| site.key.child(name).stream()).collect();
        let own = Words::new(streams, &values.words, &component.initial);
        let checkpoint = Checkpoint::new(&own);
        Record { component: Arc::clone(component), site: Arc::clone(&site.name), own, checkpoint }
    }

    /// A word of the state, by its position among them.
    #[inline]
    pub fn state(&self, position: usize) -> i64 {
        self.own.state()[position] as i64
    }

    /// Calls a hook that draws from a stream of the engine instead of its first one.
    pub fn call_with_stream<A: View, B: View>(
        &mut self,
        stream: &mut Stream,
        name: &'static str,
        hook: Hook,
        views: (&mut A, &mut B),
        arguments: [i64; 2],
    ) -> i64 {
        self.own.swap_stream(stream);
        self.checkpoint.invalidate();
        let answer = self.call(name, hook, views, arguments);
        self.own.swap_stream(stream);
        self.checkpoint.invalidate();
        answer
    }

    /// Replaces the values of the parameters.
    pub fn change(&mut self, values: &Values) {
        self.own.change(&values.words);
        self.checkpoint = Checkpoint::new(&self.own);
    }

    /// Calls a hook.
    #[inline]
    pub fn call<A: View, B: View>(&mut self, name: &'static str, hook: Hook, views: (&mut A, &mut B), arguments: [i64; 2]) -> i64 {
        self.call_about(None, name, hook, views, arguments)
    }

    /// Calls a hook about a packet.
    #[inline]
    pub fn call_about<A: View, B: View>(
        &mut self,
        packet: Option<&Packet>,
        name: &'static str,
        hook: Hook,
        views: (&mut A, &mut B),
        arguments: [i64; 2],
    ) -> i64 {
        self.checkpoint.before_call(&self.own, hook, [views.0.words(), views.1.words()], arguments);
        // Two variables, so that only views that hooks write are copied: a copy waits for the stores to the view.
        let first_before = *views.0;
        let second_before = *views.1;
        let (first, second) = (std::ptr::from_mut(views.0).cast(), std::ptr::from_mut(views.1).cast());
        // SAFETY: `crate::Components` got the address of a function of this type; the words and views are as long as it was compiled for.
        let answer = unsafe { hook(self.own.as_mut_ptr(), first, second, arguments[0], arguments[1]) };
        if answer == FAULT {
            let seen = (if A::IS_WRITTEN { &first_before } else { views.0 }, if B::IS_WRITTEN { &second_before } else { views.1 });
            self.fail(packet, name, String::new(), seen, arguments);
        }
        answer
    }

    /// Ends the run: the last call of `hook`, about this packet, failed or did something that it must not (`what`). `views` are the views
    /// before the call.
    #[cold]
    pub fn fail(
        &self,
        packet: Option<&Packet>,
        hook: &'static str,
        what: String,
        views: (&impl View, &impl View),
        arguments: [i64; 2],
    ) -> ! {
        Fault {
            component: (self.component.kind, self.component.name),
            file: self.component.file,
            identity: self.component.identity,
            site: self.site.to_string(),
            packet: packet.copied(),
            hook,
            what,
            arguments,
            checkpoint: self.checkpoint.clone(),
            views: [views.0.words().to_vec(), views.1.words().to_vec()],
        }
        .raise()
    }

    /// Reports the declared state.
    pub fn probe(&self, report: &mut ReportVariable<'_>) {
        for (variable, shown) in self.component.variables.iter().zip(&self.component.shown) {
            for (i, word) in (0..).zip(&self.own.state()[shown.words.clone()]) {
                let value = if shown.is_float { f64::from_bits(*word) } else { *word as i64 as f64 };
                report(variable, shown.is_list.then_some(i), value);
            }
        }
    }
}
