//! Traffic matrices: the rates between pairs of nodes, in a file or in the scenario.

use crate::network::nodes::{NodeSet, Nodes};
use crate::read::csv::{self, FileMistakes, Row};
use crate::read::section::Section;
use crate::read::suggest::Suggestions;
use penstock_model::parameters::{Kind, Parameter, Value};
use penstock_model::printable::{file_name, quoted};
use penstock_model::units::Rate;
use std::collections::BTreeSet;

/// A matrix as it is written: the name of a file, or rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Matrix {
    File(String),
    Rows(Vec<Vec<String>>),
}

const FORMS: &str = r#""loads.csv" or [["", "a", "b"], ["a", 0, "2 Mbit/s"], ["b", "1 Mbit/s", 0]]"#;

impl Parameter for Matrix {
    const KIND: Kind = Kind::Law(FORMS);
    const RANGE: &'static str = "entries of zero or more";

    fn from_value(value: &Value) -> Result<Self, String> {
        let no_matrix = || format!("{} is no matrix; write {FORMS}", value.quoted());
        let cell = |cell: &Value| match cell {
            Value::Text(text) => Ok(text.clone()),
            Value::Integer(number) => Ok(number.to_string()),
            Value::Float(number) => Ok(number.to_string()),
            _ => Err(no_matrix()),
        };
        match value {
            Value::Text(name) if !name.is_empty() => Ok(Matrix::File(name.clone())),
            Value::List(rows) => {
                let row = |row: &Value| match row {
                    Value::List(cells) => cells.iter().map(cell).collect(),
                    _ => Err(no_matrix()),
                };
                rows.iter().map(row).collect::<Result<_, String>>().map(Matrix::Rows)
            }
            _ => Err(no_matrix()),
        }
    }
}

/// Source, destination and rate, which is above zero.
pub(crate) type Entry = (NodeSet, NodeSet, Rate);

impl Matrix {
    /// Its entries above zero, row by row; plain numbers are multiples of `unit`. `None` after a mistake, which is reported at the key
    /// `matrix`.
    pub fn entries(&self, section: &Section<'_>, nodes: &Nodes, unit: Rate) -> Option<Vec<Entry>> {
        let suggestions = &section.mistakes.suggestions;
        let found = match self {
            Matrix::File(name) => section.mistakes.files.read(name, &[]).map_err(|message| vec![message]).and_then(|content| {
                let rows = csv::table(&content, name)?;
                resolve(&rows, &file_name(name), nodes, unit, suggestions)
            }),
            Matrix::Rows(rows) => {
                let cells = rows.iter().map(|row| row.iter().map(|cell| cell.trim().into()).collect());
                let rows: Vec<Row<'_>> = cells.enumerate().map(|(i, row)| (format!("row {i}"), row)).collect();
                resolve(&rows, "it", nodes, unit, suggestions)
            }
        };
        let location = section.location_of("matrix");
        found.map_err(|messages| section.mistakes.add_all(location, &section.join("matrix"), messages)).ok()
    }
}

/// The entries of rows, each with its place; the first row and the first column have the names.
///
/// # Errors
/// With all mistakes; `whole` is the name of the matrix in messages.
fn resolve(rows: &[Row<'_>], whole: &str, nodes: &Nodes, unit: Rate, suggestions: &Suggestions) -> Result<Vec<Entry>, Vec<String>> {
    let Some(((first, header), rows)) = rows.split_first().filter(|(_, rows)| !rows.is_empty()) else {
        return Err(vec![format!("{whole} has no rows under a first one with the nodes where traffic ends")]);
    };
    let mut mistakes = FileMistakes::default();
    let node = |place: &str, column: usize, name: &str, seen: &mut BTreeSet<usize>| {
        let told = |message: String| format!("{place}, column {}: {message}", column + 1);
        let set = nodes.single(name, suggestions).map_err(told)?;
        if seen.insert(set.node(0).index()) {
            Ok(set)
        } else {
            Err(told(format!("{} is listed twice", quoted(name))))
        }
    };
    let mut seen = BTreeSet::new();
    let mut columns: Vec<Option<NodeSet>> = Vec::new();
    for (column, name) in header.iter().enumerate().skip(1) {
        let set = node(first, column, name, &mut seen).map_err(|message| mistakes.add(|| message)).ok();
        columns.push(set);
    }
    let mut entries = Vec::new();
    seen.clear();
    for (place, row) in rows {
        if row.len() != header.len() {
            mistakes.add(|| format!("{place}: has {} fields under a first row of {}", row.len(), header.len()));
            continue;
        }
        let from = node(place, 0, &row[0], &mut seen).map_err(|message| mistakes.add(|| message)).ok();
        for ((column, cell), to) in row.iter().enumerate().skip(1).zip(&columns) {
            let told = |message: String| format!("{place}, column {} (from {} to {}): {message}", column + 1, row[0], header[column]);
            match (entry(cell, unit), from, *to) {
                (Err(message), ..) => mistakes.add(|| told(message)),
                (Ok(Rate::ZERO), ..) | (_, None, _) | (.., None) => {}
                (Ok(_), Some(from), Some(to)) if from.node(0) == to.node(0) => {
                    mistakes.add(|| told("would begin and end at one node; 0 or nothing on the diagonal".to_owned()));
                }
                (Ok(rate), Some(from), Some(to)) => entries.push((from, to, rate)),
            }
        }
    }
    mistakes.result(whole)?;
    if entries.is_empty() {
        return Err(vec![format!("{whole} has no entry above zero")]);
    }
    Ok(entries)
}

/// An entry: a rate with its unit, or a multiple of `unit`; an empty cell is zero.
fn entry(cell: &str, unit: Rate) -> Result<Rate, String> {
    if cell.is_empty() {
        return Ok(Rate::ZERO);
    }
    if cell.starts_with('-') {
        return Err(format!("{} is negative; a rate is zero or more", quoted(cell)));
    }
    let Ok(number) = cell.parse::<f64>() else { return Rate::from_value(&Value::Text(cell.to_owned())) };
    let rate = number * unit.as_bps() as f64;
    match rate {
        0.0 => Ok(Rate::ZERO),
        0.5..1e17 => Ok(Rate::from_bps(rate.round() as u64)),
        _ if unit.as_bps() == 1 => Err(format!("{} is no number of bit/s from 1 to 1e17", quoted(cell))),
        _ => Err(format!("{} times {unit} is no rate from 1 bit/s to 1e17 bit/s", quoted(cell))),
    }
}
