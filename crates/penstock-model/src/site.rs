//! Site of a component.

use crate::rng::Key;
use crate::units::Rate;
use std::sync::Arc;

/// Site of a component, passed to the factories of all kinds.
#[derive(Clone, Debug)]
pub struct Site {
    /// Key of its random streams, different for each component at each site.
    pub key: Key,
    /// Initial rate: at a port that of its link, at an end of a flow or aggregate that of the first link of its route, at a switch the sum
    /// over its ports.
    pub rate: Rate,
    /// Name in the scenario: of a link, such as `hosts[3]-r1`, followed by a dot and the name of the class if each class has a separate
    /// component; of a flow or aggregate, such as `voice[12]`; or of a node.
    pub name: Arc<str>,
}

impl Site {
    /// Site for a trial of whether a component can be built: no name, and 1 bit/s.
    pub fn trial() -> Site {
        Site { key: Key::root(0, 0), rate: Rate::from_bps(1), name: "".into() }
    }

    /// Same site with random streams below another key.
    #[must_use]
    pub fn with_key(&self, key: Key) -> Site {
        Site { key, ..self.clone() }
    }

    /// Site of a class of this port. Its random streams are below the child `class` of the key.
    #[must_use]
    pub fn of_class(&self, class: &str) -> Site {
        Site { key: self.key.child(class), rate: self.rate, name: format!("{}.{class}", self.name).into() }
    }

    /// Site of one of several components here. Its random streams are below the child `purpose` of the key.
    #[must_use]
    pub fn child(&self, purpose: &str) -> Site {
        self.with_key(self.key.child(purpose))
    }
}
