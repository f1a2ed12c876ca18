//! Parameters of any component at the ends of what their types can take, from the declarations alone: a component that comes
//! later is covered as it is.

use penstock_model::parameters::{default_value, AnyParameters, Declaration, Entry, Field, Kind, Parameters, Reader, Value};
use penstock_model::rng::Stream;
use penstock_model::scheduler::class::RateLimit;
use penstock_model::units::{Bytes, Duration, Rate};

const TIMES: &[&str] = &["0 s", "1 ps", "2 ps", "1 ns", "3 ms", "1 s", "1000000 s", "17000000 s"];
const RATES: &[&str] = &["1 bit/s", "3 bit/s", "64 kbit/s", "9 Gbit/s", "90 Tbit/s", "99999999999999 bit/s", "100 Tbit/s"];
const SIZES: &[&str] = &["1 byte", "2 bytes", "40 bytes", "1500 bytes", "65535 bytes", "65536 bytes", "1 GB", "1000 GB", "1000000000 GB"];
const NUMBERS: &[f64] = &[0.0, 1e-12, 1e-6, 0.3, 0.5, 1.0, 2.0, 1e3, 1e6, 1e12];
const INTEGERS: &[i64] = &[0, 1, 2, 3, 255, 256, 10_000, 1_000_000, 4_294_967_295];

fn one_of<T: Copy>(values: &[T], stream: &mut Stream) -> T {
    values[stream.below(values.len() as u64) as usize]
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn table(key: &str, value: Value) -> Value {
    Value::Table(vec![(key.to_owned(), value)])
}

/// What the parameters of a component mostly have in common.
#[derive(Clone, Copy)]
struct Style {
    /// How long its lists are.
    items: u64,
    /// Whether its limits are in packets.
    in_packets: bool,
}

fn quantity(example: &str, style: Style, stream: &mut Stream) -> Value {
    let any_size = |stream: &mut Stream| match style.in_packets {
        false => text(one_of(SIZES, stream)),
        true => text(&format!("{} packets", one_of(INTEGERS, stream))),
    };
    if example.parse::<Duration>().is_ok() {
        // A depth is a time or a size.
        return if stream.chance(0.8) { text(one_of(TIMES, stream)) } else { any_size(stream) };
    }
    match (example.parse::<Rate>(), example.parse::<Bytes>()) {
        (Ok(_), _) => text(one_of(RATES, stream)),
        (_, Ok(_)) => text(one_of(SIZES, stream)),
        _ => any_size(stream),
    }
}

/// A value of one of the forms of all laws, which is a mistake for most of them.
fn law(forms: &str, style: Style, stream: &mut Stream) -> Value {
    let example = forms.split('"').nth(1).unwrap_or("1 s");
    let mut value = || quantity(example, style, stream);
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
            let item = |size: Value, share: f64| Value::Table(vec![("size".to_owned(), size), ("share".to_owned(), Value::Float(share))]);
            table("mix", Value::List(vec![item(a, 0.999_999), item(b, 0.000_001)]))
        }
    }
}

fn value(kind: &Kind, style: Style, stream: &mut Stream) -> Value {
    match kind {
        Kind::Quantity(example) => quantity(example, style, stream),
        Kind::Integer => Value::Integer(one_of(INTEGERS, stream)),
        Kind::IntegerOrList if stream.chance(0.5) => value(&Kind::List(&Kind::Integer), style, stream),
        Kind::IntegerOrList => value(&Kind::Integer, style, stream),
        Kind::Number => Value::Float(one_of(NUMBERS, stream)),
        Kind::Choice(words) | Kind::OpenChoice { words, .. } => text(one_of(words, stream).0),
        Kind::Switch => Value::Switch(stream.chance(0.5)),
        Kind::List(of) => Value::List((0..style.items).map(|_| value(of, style, stream)).collect()),
        Kind::Name(_) => text("default"),
        Kind::Law(forms) => law(forms, style, stream),
        Kind::Component { names, .. } => text(one_of(names, stream)),
        Kind::Table("rate-limit") => Value::Table(written(RateLimit::FIELDS, stream).0),
        Kind::Table(other) => panic!("no random {other}"),
    }
}

/// What is written, and whether it was a mistake.
struct Written(Vec<(String, Value)>, bool);

impl Reader for Written {
    fn take(&mut self, field: &Field) -> Option<Value> {
        self.0.iter().find(|(key, _)| *key == field.key()).map(|(_, value)| value.clone())
    }
    fn mistake(&mut self, _: &str, _: String) {
        self.1 = true;
    }
}

fn written(fields: &[Field], stream: &mut Stream) -> Written {
    let mut written = Vec::new();
    let style = Style { items: 1 + stream.below(4), in_packets: stream.chance(0.5) };
    for field in fields {
        let may_be_left_out = field.optional || field.default.is_some();
        if may_be_left_out && stream.chance(0.5) {
            continue;
        }
        let given = match field.default {
            Some(default) if stream.chance(0.3) => default_value(default),
            _ => value(&field.kind, style, stream),
        };
        written.push((field.key(), given));
    }
    Written(written, false)
}

/// Plans of the component `entry`, each with what is written for it: at most so many, which are no mistakes.
pub fn plans<P>(entry: &Entry, most: usize, stream: &mut Stream, read: impl Fn(&str, &mut dyn Reader) -> Option<P>) -> Vec<(P, String)> {
    let mut plans = Vec::new();
    for _ in 0..100 * most {
        if plans.len() == most {
            break;
        }
        let mut written = written(entry.fields, stream);
        if let (Some(plan), false) = (read(entry.name, &mut written), written.1) {
            plans.push((plan, format!("{} {:?}", entry.name, written.0)));
        }
    }
    plans
}

/// Parameters with a declaration of their own, such as class parameters.
pub fn parameters(declaration: Declaration, stream: &mut Stream) -> Option<AnyParameters> {
    let mut written = written(declaration.fields, stream);
    declaration.read(&mut written).filter(|_| !written.1)
}
