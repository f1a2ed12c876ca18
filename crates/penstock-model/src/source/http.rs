//! Web browsing.

use super::laws::{FileLaw, SpanLaw};
use crate::parameters::{Check, Kind, Parameter, Value};
use crate::rng::Stream;
use crate::units::Duration;

crate::parameters! {
    /// HTTP: a user who requests one page after another over a persistent connection.
    ///
    /// ## Decides
    /// A page is a file of size `page` and `objects` embedded files of size `object`. A request hands the whole page to the
    /// transport: the first when the flow starts, each further one a time `think` after the page before was acknowledged. The metric
    /// `page-time` is the time from the request to that acknowledgement. It equals the time from the request to the last byte that a
    /// user sees, if a request takes as long as an acknowledgement.
    ///
    /// ## State
    /// The time of the request. Files and think times have random streams of their own, so the n-th page is the same at any speed of
    /// the network.
    ///
    /// ## Departures
    /// - The study has pages of exactly three embedded files and a time between pages that is uniform on 1 to 5 s. For the sizes it
    ///   refers to other work, and says that the median fits into two packets of 1460 bytes. The utilisation of its table 2 without file
    ///   transfers (34 and 67 % of 1.5 Mbit/s for 8 and 16 users) implies a page of 29 kB. Hence the default: log-normal with a median
    ///   of 2 kB and a mean of 7 kB.
    /// - One connection carries the whole page, as in the study's model of HTTP 1.1. Here it is also kept for the next page, and the
    ///   transport's `restart-after-idle` sets its window. HTTP 1.0 with a connection per file is not modelled.
    /// - Requests take no time and no packets. Pages are rounded up to whole segments, files to bytes; the maximum is 4 GB.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { variant = "reno", packet = "1500 bytes" }
    /// source.http = { objects = 3, think = { uniform = ["1 s", "5 s"] } }
    /// ```
    ///
    /// ## References
    /// [RFC2415 s2].
    pub struct Parameters {
        /// Size of the requested file; `{ log-normal = { median = "2 kB", mean = "7 kB" } }` if left out.
        page: Option<FileLaw>;
        /// Number of embedded files.
        objects: Objects = "3";
        /// Size of an embedded file; as `page` if left out.
        object: Option<FileLaw>;
        /// Time from the end of a page to the request of the next; `{ uniform = ["1 s", "5 s"] }` if left out.
        think: Option<SpanLaw>;
        /// Whether each page starts with the window of a new connection. A page then acts like a connection of its own, but without a
        /// handshake and with a known round trip.
        initial_window: bool = "false";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.object.is_some() && self.objects.0 == 0 {
            mistake("object", "has no effect without objects; leave it out".to_owned());
        }
    }
}

/// Number of files embedded in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objects(pub u32);

impl Parameter for Objects {
    const KIND: Kind = Kind::Integer;
    const RANGE: &'static str = "a whole number, 0 to 1000";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(number @ 0..=1000) => Ok(Objects(*number as u32)),
            other => Err(format!("{} is out of range; a whole number, 0 to 1000", other.quoted())),
        }
    }
}

/// State of a web user.
#[derive(Clone, Debug)]
pub struct Http {
    page: FileLaw,
    objects: u32,
    object: FileLaw,
    think: SpanLaw,
    initial_window: bool,
}

impl Http {
    /// A user with these parameters.
    pub fn new(parameters: &Parameters) -> Http {
        // The stated mean, in the form that `FileLaw` reads.
        let usual = FileLaw::LogNormal { median: 2000.0, sigma: libm::sqrt(2.0 * libm::log(3.5)) };
        let page = parameters.page.unwrap_or(usual);
        Http {
            page,
            objects: parameters.objects.0,
            object: parameters.object.unwrap_or(page),
            think: parameters.think.unwrap_or(SpanLaw::Uniform(Duration::from_secs(1), Duration::from_secs(5))),
            initial_window: parameters.initial_window,
        }
    }

    /// Bytes of the next page, including all embedded files.
    pub fn next_page(&self, stream: &mut Stream) -> u64 {
        let page = self.page.sample(stream);
        (0..self.objects).fold(page, |sum, _| sum + self.object.sample(stream))
    }

    /// Whether each page starts with the window of a new connection.
    pub fn begins_anew(&self) -> bool {
        self.initial_window
    }

    /// Time for which the user reads the page.
    pub fn think(&self, stream: &mut Stream) -> Duration {
        self.think.sample(stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::rng::Key;

    #[test]
    fn a_page_is_all_its_files() {
        let user = Http::new(&read(&["page = 10 kB", "objects = 2", "object = 3 kB", "think = 2 s"]).expect("sound"));
        let mut stream = Key::root(1, 0).child("pages").stream();
        assert_eq!((user.next_page(&mut stream), user.think(&mut stream)), (16_000, Duration::from_secs(2)));
        let alone = Http::new(&read(&["page = 10 kB", "objects = 0"]).expect("sound"));
        assert_eq!(alone.next_page(&mut stream), 10_000);
    }

    #[test]
    fn the_usual_page_is_that_of_the_study() {
        let user = Http::new(&read(&[]).expect("sound"));
        let (mut sizes, mut thinks) = (Key::root(1, 0).child("pages").stream(), Key::root(1, 0).child("think").stream());
        let n = 100_000u32;
        let mean = (0..n).map(|_| user.next_page(&mut sizes) as f64).sum::<f64>() / f64::from(n);
        // Four files of mean 7 kB and standard deviation 7 kB sqrt(11.25); four standard errors.
        assert!((mean - 28_000.0).abs() < 4.0 * 7000.0 * (4.0 * 11.25 / f64::from(n)).sqrt(), "{mean}");
        assert!((0..1000).all(|_| (1.0..=5.0).contains(&user.think(&mut thinks).as_seconds())));
    }

    #[test]
    fn an_object_without_effect_is_a_mistake() {
        let mistakes = read::<Parameters>(&["objects = 0", "object = 3 kB"]).expect_err("a mistake");
        assert_eq!(mistakes, ["object: has no effect without objects; leave it out"]);
        assert_eq!(
            read::<Parameters>(&["objects = 2000"]).expect_err("a mistake"),
            ["objects: 2000 is out of range; a whole number, 0 to 1000"]
        );
    }
}
