//! Tables of aligned columns.

/// Rows of text in columns that are as wide as they need to be.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    /// Columns that are aligned to the right: numbers.
    right: Vec<bool>,
    indent: usize,
}

impl Table {
    /// A table with a heading, if there is one; `alignment` has `l` or `r` for each column.
    pub(crate) fn new(alignment: &str, heading: &[&str]) -> Self {
        let mut table =
            Self { rows: Vec::new(), right: alignment.chars().map(|c| c == 'r').collect(), indent: 0 };
        if !heading.is_empty() {
            table.rows.push(heading.iter().map(|h| (*h).to_owned()).collect());
        }
        table
    }

    /// Indents every line by `columns` spaces.
    pub(crate) fn indented(mut self, columns: usize) -> Self {
        self.indent = columns;
        self
    }

    /// Adds a row.
    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table as lines of text, each with its newline and without blanks at its end.
    pub(crate) fn render(&self) -> String {
        let mut widths = vec![0; self.right.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = String::new();
        for row in &self.rows {
            let mut line = " ".repeat(self.indent);
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if column > 0 {
                    line.push_str("  ");
                }
                let padding = " ".repeat(width - cell.chars().count());
                if self.right[column] {
                    line.push_str(&padding);
                    line.push_str(cell);
                } else {
                    line.push_str(cell);
                    line.push_str(&padding);
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_by_characters_not_bytes() {
        let mut table = Table::new("lr", &["name", "value"]).indented(1);
        table.row(["ρA", "1"]);
        table.row(["length", "12345"]);
        assert_eq!(table.render(), " name    value\n ρA          1\n length  12345\n");
    }
}
