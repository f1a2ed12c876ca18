//! Lists of transfers of other simulators, with the line that converts them.

use penstock_model::printable::file_name;

/// How to convert a list of transfers in the format of another simulator, if the format is known.
pub(super) fn conversion(content: &[u8], name: &str) -> Option<String> {
    let text = std::str::from_utf8(content).ok()?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (first, second) = (lines.next()?, lines.next().unwrap_or_default());
    let file = file_name(name);
    if first.starts_with("Nodes ") && second.starts_with("Connections ") {
        return Some(format!(
            "{file}: is a connection matrix of htsim; with h hosts at a switch and p such switches in a pod (1 without pods), \
             awk -v h=4 -v p=4 'function at(i, t) {{ t = int(i / h); return i % h * e + t % p * (e / p) + int(t / p) }} \
             BEGIN {{ print \"start,from,to,bytes\" }} $1 == \"Nodes\" {{ e = $2 / h }} /->/ && / start / {{ \
             split($1, n, \"->\"); for (i = 2; i < NF; i++) v[$i] = $(i + 1); \
             printf \"%.12f,host[%d],host[%d],%d\\n\", v[\"start\"] / 1e12, at(n[1]), at(n[2]), v[\"size\"] }}' \
             {file} > transfers.csv makes the file for a generated network; flows that wait for a trigger are left out"
        ));
    }
    let are_numbers = |line: &str, count: usize| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.len() == count && words.iter().all(|word| word.parse::<f64>().is_ok())
    };
    (are_numbers(first, 1) && are_numbers(second, 6)).then(|| {
        format!(
            "{file}: is flow.txt of the HPCC simulator; awk 'BEGIN {{ print \"start,from,to,bytes\" }} \
             NF == 6 {{ print $6 \",\" $1 \",\" $2 \",\" $5 }}' {file} > transfers.csv makes the file that is read"
        )
    })
}
