//! The place where a component works.

use crate::rng::Key;
use crate::units::Rate;
use std::sync::Arc;

/// The place of a component, which its factory receives, whatever its kind.
#[derive(Clone, Debug)]
pub struct Site {
    /// The key of its random streams, its own for each component at each place.
    pub key: Key,
    /// Initial rate: at a port the rate of its link, at an end of a flow or aggregate the rate of the first link of its route,
    /// at a switch the sum over its ports.
    pub rate: Rate,
    /// Name in the scenario: of a link, such as `hosts[3]-r1`, followed by a dot and the name of the class if each class has
    /// its own component; of a flow or aggregate, such as `voice[12]`; or of a node.
    pub name: Arc<str>,
}

impl Site {
    /// No place in particular, to see whether a component can be built: no name, and 1 bit/s.
    pub fn trial() -> Site {
        Site { key: Key::root(0, 0), rate: Rate::from_bps(1), name: "".into() }
    }

    /// The same place, with random streams below another key.
    #[must_use]
    pub fn with_key(&self, key: Key) -> Site {
        Site { key, ..self.clone() }
    }

    /// The place of a class of this port: random streams hang below the child `class` of the key.
    #[must_use]
    pub fn of_class(&self, class: &str) -> Site {
        Site { key: self.key.child(class), rate: self.rate, name: format!("{}.{class}", self.name).into() }
    }

    /// The place of one of several components here: its random streams hang below the child `purpose` of the key.
    #[must_use]
    pub fn child(&self, purpose: &str) -> Site {
        self.with_key(self.key.child(purpose))
    }
}
