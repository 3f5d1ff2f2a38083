//! What is printed: results to stdout, remarks to stderr.

use std::io::Write as _;

use comfy_table::{CellAlignment, Table, presets};
use serde_json::Value;

use crate::text::printable;

pub(super) use crate::shown::count;

/// Prints a result. A reader that has gone, as `head` does, is no failure.
pub(super) fn print(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints a remark.
pub(super) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints JSON for machines.
pub(super) fn print_json(value: &Value) {
    print(&format!("{value:#}"));
}

/// Prints rows under a header, nothing drawn around them. Columns in `right` are aligned for numbers.
pub(super) fn print_table(header: &[&str], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header.iter().map(|name| name.to_uppercase()));
    rows.into_iter().for_each(|row| _ = table.add_row(row.iter().map(|cell| printable(cell).into_owned())));
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    print(&table.trim_fmt());
}
