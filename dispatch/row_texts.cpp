#include "dispatch/row_texts.h"

#include "core/table/table_writer.h"

namespace tunehub::th {

RowTexts::RowTexts(const lookup::Table& table) : columns_(table.family().columns.size()) {
  begins_.reserve(table.rows().size() * columns_);
  std::string scratch;
  for (const lookup::TableRow& row : table.rows()) {
    const core::Cells cells = core::SplitLine(row.line, scratch);
    for (std::size_t column = 0; column < columns_; ++column) {
      begins_.push_back(text_.size());
      text_ += cells[column];
      text_ += '\0';
    }
  }
}

}  // namespace tunehub::th
