//! Complete sharing: one pool for all ports.

use super::{Buffer, BufferContext, Occupancies};
use crate::parameters::{Amount, Check, Limit};

crate::parameters! {
    /// Complete sharing: any port may use any part of one pool.
    ///
    /// ## Decides
    /// A packet is accepted if Q plus its size is at most `size`, where Q is what all ports hold.
    ///
    /// ## State
    /// Only the occupancies; constant cost per packet.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// buffer.pool = { size = "1 MB" }
    /// ```
    ///
    /// ## References
    /// Complete sharing in [Choudhury98 s1].
    pub struct Parameters {
        /// Size of the memory (B).
        size: Amount;
    }
}
impl Check for Parameters {}

/// State of complete sharing.
#[derive(Clone, Debug)]
pub struct Pool {
    size: Limit,
}

impl Pool {
    /// A pool with these parameters.
    pub fn new(parameters: &Parameters, _switch: &BufferContext<'_>) -> Pool {
        Pool { size: parameters.size.0 }
    }
}

impl Buffer for Pool {
    #[inline]
    fn has_room(&self, _port: usize, size: u32, held: &Occupancies) -> bool {
        held.total().fits(size, self.size)
    }

    fn size(&self) -> Limit {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::offer;
    use super::*;
    use crate::parameters::testing::read;

    fn pool(size: &str) -> Pool {
        Pool::new(&read(&[size]).expect("sound"), &BufferContext::of(&[None, None]))
    }

    #[test]
    fn one_port_may_fill_it_and_then_nobody_gets_in() {
        let mut held = Occupancies::new(2);
        assert_eq!(offer(&pool("size = 3 packets"), &mut held, 9000, &[0, 0, 0, 0, 1]), [true, true, true, false, false]);
    }

    #[test]
    fn bytes_must_fit_as_a_whole() {
        let mut held = Occupancies::new(2);
        assert_eq!(offer(&pool("size = 1600 bytes"), &mut held, 600, &[0, 1, 0]), [true, true, false]);
        assert_eq!(offer(&pool("size = 1600 bytes"), &mut held, 400, &[0]), [true]);
    }
}
