//! Random parameters of any component, from its declarations alone, so that a new component is covered without an entry here.
#![allow(dead_code)] // each test file uses a part of it

use penstock_model::parameters::{default_value, AnyParameters, Declaration, Entry, Field, Kind, Parameters, Reader, Value};
use penstock_model::registry::Registry;
use penstock_model::rng::Stream;
use penstock_model::scheduler::class::RateLimit;
use penstock_model::units::{Bytes, Duration, Rate};

/// Values from which parameters are drawn.
pub struct Palette {
    pub times: &'static [&'static str],
    pub rates: &'static [&'static str],
    pub sizes: &'static [&'static str],
    pub numbers: &'static [f64],
    pub integers: &'static [i64],
    /// Names of classes, circuits and files.
    pub names: &'static [&'static str],
    /// Registry in which readers find the components of plug-ins.
    pub registry: fn() -> &'static Registry,
}

/// Extremes of what types accept, and some values between them.
pub const EXTREMES: Palette = Palette {
    times: &["0 s", "1 ps", "2 ps", "1 ns", "3 ms", "1 s", "1000000 s", "17000000 s"],
    rates: &["1 bit/s", "3 bit/s", "64 kbit/s", "9 Gbit/s", "90 Tbit/s", "99999999999999 bit/s", "100 Tbit/s"],
    sizes: &["1 byte", "2 bytes", "40 bytes", "1500 bytes", "65535 bytes", "65536 bytes", "1 GB", "1000 GB", "1000000000 GB"],
    numbers: &[0.0, 1e-12, 1e-6, 0.3, 0.5, 1.0, 2.0, 1e3, 1e6, 1e12],
    integers: &[0, 1, 2, 3, 255, 256, 10_000, 1_000_000, 4_294_967_295],
    names: &["default"],
    registry: || Registry::NONE,
};

fn one_of<T: Copy>(values: &[T], stream: &mut Stream) -> T {
    values[stream.below(values.len() as u64) as usize]
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn table(key: &str, value: Value) -> Value {
    Value::Table(vec![(key.to_owned(), value)])
}

/// Properties that the parameters of a component mostly share.
#[derive(Clone, Copy)]
struct Style {
    /// Length of its lists.
    items: u64,
    /// Whether its limits are in packets.
    in_packets: bool,
}

impl Style {
    fn drawn(stream: &mut Stream) -> Style {
        Style { items: 1 + stream.below(4), in_packets: stream.chance(0.5) }
    }
}

impl Palette {
    fn quantity(&self, example: &str, style: Style, stream: &mut Stream) -> Value {
        let any_size = |stream: &mut Stream| match style.in_packets {
            false => text(one_of(self.sizes, stream)),
            true => text(&format!("{} packets", one_of(self.integers, stream))),
        };
        if example.parse::<Duration>().is_ok() {
            // A depth is a time or a size.
            return if stream.chance(0.8) { text(one_of(self.times, stream)) } else { any_size(stream) };
        }
        match (example.parse::<Rate>(), example.parse::<Bytes>()) {
            (Ok(_), _) => text(one_of(self.rates, stream)),
            (_, Ok(_)) => text(one_of(self.sizes, stream)),
            _ => any_size(stream),
        }
    }

    /// A value in one of the forms of all laws. For most laws it is a mistake.
    fn law(&self, forms: &str, style: Style, stream: &mut Stream) -> Value {
        let example = forms.split('"').nth(1).unwrap_or("1 s");
        let mut value = || self.quantity(example, style, stream);
        let (a, b) = (value(), value());
        if forms.starts_with("{ vc1") {
            return table("vc", a);
        }
        match stream.below(6) {
            0 | 1 => a,
            2 => table("exponential", table("mean", a)),
            3 => table("uniform", Value::List(vec![a, b])),
            4 => table("log-normal", Value::Table(vec![("median".to_owned(), a), ("mean".to_owned(), b)])),
            _ => {
                let item =
                    |size: Value, share: f64| Value::Table(vec![("size".to_owned(), size), ("share".to_owned(), Value::Float(share))]);
                table("mix", Value::List(vec![item(a, 0.999_999), item(b, 0.000_001)]))
            }
        }
    }

    fn value(&self, kind: &Kind, style: Style, stream: &mut Stream) -> Value {
        match kind {
            Kind::Quantity(example) => self.quantity(example, style, stream),
            Kind::Integer => Value::Integer(one_of(self.integers, stream)),
            Kind::IntegerOrList if stream.chance(0.5) => self.value(&Kind::List(&Kind::Integer), style, stream),
            Kind::IntegerOrList => self.value(&Kind::Integer, style, stream),
            Kind::Number => Value::Float(one_of(self.numbers, stream)),
            Kind::Choice(words) | Kind::OpenChoice { words, .. } => text(one_of(words, stream).0),
            Kind::Switch => Value::Switch(stream.chance(0.5)),
            Kind::List(of) => Value::List((0..style.items).map(|_| self.value(of, style, stream)).collect()),
            Kind::Name(_) => text(one_of(self.names, stream)),
            Kind::Law(forms) => self.law(forms, style, stream),
            Kind::Component { names, .. } => text(one_of(names, stream)),
            Kind::Table("rate-limit") => Value::Table(self.settings(RateLimit::FIELDS, stream)),
            Kind::Table(other) => panic!("no random {other}"),
        }
    }

    /// A value for `field` alone; it may be a mistake.
    pub fn value_of(&self, field: &Field, stream: &mut Stream) -> Value {
        self.value(&field.kind, Style::drawn(stream), stream)
    }

    /// Values for some of `fields`, and for all required ones; they may be mistakes.
    pub fn settings(&self, fields: &[Field], stream: &mut Stream) -> Settings {
        let mut settings = Vec::new();
        let style = Style::drawn(stream);
        for field in fields {
            let may_be_left_out = field.optional || field.default.is_some();
            if may_be_left_out && stream.chance(0.5) {
                continue;
            }
            let given = match field.default {
                Some(default) if stream.chance(0.3) => default_value(default),
                _ => self.value(&field.kind, style, stream),
            };
            settings.push((field.key(), given));
        }
        settings
    }

    /// Reads `settings` by `read`.
    ///
    /// # Errors
    /// All mistakes.
    pub fn read<P>(&self, settings: &[(String, Value)], read: impl FnOnce(&mut dyn Reader) -> Option<P>) -> Result<P, String> {
        let mut written = Written { settings, mistakes: Vec::new(), registry: (self.registry)() };
        read(&mut written).filter(|_| written.mistakes.is_empty()).ok_or_else(|| written.mistakes.join("; "))
    }

    /// Plans of the component `entry`, each with its settings: at most `most`, all valid.
    pub fn plans<P>(
        &self,
        entry: &Entry,
        most: usize,
        stream: &mut Stream,
        read: impl Fn(&str, &mut dyn Reader) -> Option<P>,
    ) -> Vec<(P, Settings)> {
        let attempt = |_| {
            let settings = self.settings(entry.fields, stream);
            self.read(&settings, |reader| read(entry.name, reader)).ok().map(|plan| (plan, settings))
        };
        (0..100 * most).filter_map(attempt).take(most).collect()
    }

    /// Parameters with a separate declaration, such as class parameters; `None` if the drawn ones are a mistake.
    pub fn parameters(&self, declaration: Declaration, stream: &mut Stream) -> Option<AnyParameters> {
        self.read(&self.settings(declaration.fields, stream), |reader| declaration.read(reader)).ok()
    }
}

/// The values of parameters by key.
pub type Settings = Vec<(String, Value)>;

struct Written<'a> {
    settings: &'a [(String, Value)],
    mistakes: Vec<String>,
    registry: &'static Registry,
}

impl Reader for Written<'_> {
    fn take(&mut self, field: &Field) -> Option<Value> {
        self.settings.iter().find(|(key, _)| *key == field.key()).map(|(_, value)| value.clone())
    }
    fn mistake(&mut self, key: &str, message: String) {
        self.mistakes.push(format!("{key}: {message}"));
    }
    fn registry(&self) -> &Registry {
        self.registry
    }
}
