//! The echo of marks, if it is not the congestion control's.

use super::Parameters;
use crate::transport::congestion_control::{EcnEcho, EcnUse};

crate::choice! {
    /// Echo of marks by a receiver.
    pub enum MarkEcho {
        /// Every acknowledgement, from a mark until the sender answers with CWR [RFC3168 s6.1.3]. DCTCP then sees more marks than there are.
        "rfc-3168" => UntilCwr,
        /// Acknowledgements of marked segments; one of several segments covers only marked or only unmarked ones [RFC8257 s3.2].
        "rfc-8257" => Exact,
        /// The number of marked segments, in the flags and in an option (AccECN) [RFC9768 s3.2.2, s3.2.3].
        "accecn" => Count,
    }
}

impl Parameters {
    /// The use of ECN that a congestion control defines, with the echo that is given here, if any.
    pub(super) fn with_own_echo(&self, ecn_use: EcnUse) -> EcnUse {
        let echo = match self.ecn_echo {
            None => ecn_use.echo,
            Some(MarkEcho::UntilCwr) => EcnEcho::UntilCwr,
            Some(MarkEcho::Exact) => EcnEcho::Exact,
            Some(MarkEcho::Count) => EcnEcho::CountWithOption,
        };
        EcnUse { echo, ..ecn_use }
    }
}
