// Every cell of a table's rows as a text that C can have: found by two additions, for ever at one
// place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/lookup/table.h"

namespace tunehub::th {

class RowTexts {
 public:
  explicit RowTexts(const lookup::Table& table);

  // `row` of Table::rows(), `column` of the family's.
  const char* At(std::size_t row, std::size_t column) const {
    return text_.data() + begins_[row * columns_ + column];
  }

 private:
  std::size_t columns_;
  std::string text_;  // cells, each with a zero byte behind it
  std::vector<std::size_t> begins_;
};

}  // namespace tunehub::th
