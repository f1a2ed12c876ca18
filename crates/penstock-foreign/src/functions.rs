//! Functions for hooks: random numbers of the engine's streams, and transcendental functions that are the same on every machine.

use penstock_model::rng::Stream;

/// A function for hooks.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The symbol by which compiled code finds it.
    pub symbol: &'static str,
    /// Its type: a letter for the result and for each argument, `f` for a double, `i` for a whole number of 64 bits.
    pub signature: &'static str,
    /// Its address.
    pub address: usize,
}

macro_rules! functions {
    ($( $symbol:ident: $signature:literal as $type:ty; )*) => {
        /// All functions.
        pub fn functions() -> Vec<Function> {
            vec![$( Function { symbol: stringify!($symbol), signature: $signature, address: $symbol as $type as usize }, )*]
        }
    };
}

functions! {
    penstock_unit: "fi" as extern "C" fn(*mut Stream) -> f64;
    penstock_exponential: "fi" as extern "C" fn(*mut Stream) -> f64;
    penstock_below: "iii" as extern "C" fn(*mut Stream, i64) -> i64;
    penstock_mul_div: "iiii" as extern "C" fn(i64, i64, i64) -> i64;
    penstock_pow: "fff" as extern "C" fn(f64, f64) -> f64;
    penstock_atan2: "fff" as extern "C" fn(f64, f64) -> f64;
    penstock_exp: "ff" as extern "C" fn(f64) -> f64;
    penstock_expm1: "ff" as extern "C" fn(f64) -> f64;
    penstock_log: "ff" as extern "C" fn(f64) -> f64;
    penstock_log1p: "ff" as extern "C" fn(f64) -> f64;
    penstock_log2: "ff" as extern "C" fn(f64) -> f64;
    penstock_log10: "ff" as extern "C" fn(f64) -> f64;
    penstock_cbrt: "ff" as extern "C" fn(f64) -> f64;
    penstock_sin: "ff" as extern "C" fn(f64) -> f64;
    penstock_cos: "ff" as extern "C" fn(f64) -> f64;
    penstock_tan: "ff" as extern "C" fn(f64) -> f64;
    penstock_atan: "ff" as extern "C" fn(f64) -> f64;
    penstock_tanh: "ff" as extern "C" fn(f64) -> f64;
    penstock_unreachable: "i" as extern "C" fn() -> i64;
}

/// The stream at an address that a component has written into its own words.
fn stream<'a>(at: *mut Stream) -> &'a mut Stream {
    // SAFETY: hooks get these addresses only from `Record::call`, which owns the streams and does not use them during the call.
    unsafe { &mut *at }
}

extern "C" fn penstock_unit(at: *mut Stream) -> f64 {
    stream(at).unit()
}

extern "C" fn penstock_exponential(at: *mut Stream) -> f64 {
    stream(at).exponential()
}

/// A whole number in [0, below); 0 if this range is empty.
extern "C" fn penstock_below(at: *mut Stream, below: i64) -> i64 {
    u64::try_from(below).map_or(0, |below| stream(at).below(below.max(1)) as i64)
}

/// a b / c, rounded down, with a product of 128 bits; 0 for c = 0, and the nearest end of the range where the result does not fit.
extern "C" fn penstock_mul_div(a: i64, b: i64, c: i64) -> i64 {
    if c == 0 {
        return 0;
    }
    let (product, c) = (i128::from(a) * i128::from(b), i128::from(c));
    let rounded = product / c - i128::from(product % c != 0 && (product < 0) != (c < 0));
    rounded.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// Placeholder for functions of the compiler's run time that compiled code names but does not call.
extern "C" fn penstock_unreachable() -> i64 {
    std::process::abort()
}

macro_rules! of_libm {
    ($( $symbol:ident = $function:ident; )*) => { $( extern "C" fn $symbol(x: f64) -> f64 { libm::$function(x) } )* };
}

of_libm! {
    penstock_exp = exp;
    penstock_expm1 = expm1;
    penstock_log = log;
    penstock_log1p = log1p;
    penstock_log2 = log2;
    penstock_log10 = log10;
    penstock_cbrt = cbrt;
    penstock_sin = sin;
    penstock_cos = cos;
    penstock_tan = tan;
    penstock_atan = atan;
    penstock_tanh = tanh;
}

extern "C" fn penstock_pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

extern "C" fn penstock_atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_model::rng::Key;

    #[test]
    fn products_are_wide_and_quotients_are_rounded_down() {
        assert_eq!(
            penstock_mul_div(4_000_000_000_000_000, 9_000_000_000, 12),
            3_000_000_000_000_000_000_000_000i128.min(i64::MAX.into()) as i64
        );
        assert_eq!(penstock_mul_div(4_000_000_000_000_000, 9_000, 12_000), 3_000_000_000_000_000);
        assert_eq!(
            [penstock_mul_div(7, 1, 2), penstock_mul_div(-7, 1, 2), penstock_mul_div(7, 1, -2), penstock_mul_div(1, 1, 0)],
            [3, -4, -4, 0]
        );
    }

    #[test]
    fn a_stream_is_drawn_from_by_its_address() {
        let key = Key::root(1, 0);
        let (mut one, mut other) = (key.stream(), key.stream());
        let at = &raw mut one;
        assert_eq!((penstock_unit(at), penstock_exponential(at)), (other.unit(), other.exponential()));
        assert_eq!((penstock_below(at, 10), penstock_below(at, -1)), (other.below(10) as i64, 0));
    }
}
