// A tuned table, with all data to which its answers point.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/lookup/table.h"
#include "dispatch/tunehub_dispatch.h"

namespace tunehub::th {

// Every cell of a table's rows as a C text. Finding a text takes two additions. No text ever moves.
class RowTexts {
 public:
  explicit RowTexts(const lookup::Table& table);

  // `row`: index into Table::rows(). `column`: index into the family's columns.
  const char* At(std::size_t row, std::size_t column) const {
    return text_.data() + begins_[row * columns_ + column];
  }

 private:
  std::size_t columns_;
  std::string text_;  // each cell is followed by a zero byte
  std::vector<std::size_t> begins_;
};

// The arguments of th_open.
struct TableRequest {
  std::string name;      // the file's name; "": none
  std::string_view csv;  // needed only while Make runs
  bool empty = false;    // true: a table without rows and without CSV
  std::string family;
  std::string family_folder;  // "": the library's own family files
};

class OpenTable {
 public:
  // Errors: unknown_family, bad_family; as LoadTable.
  static core::Result<std::shared_ptr<const OpenTable>> Make(const TableRequest& request);

  const core::Family& family() const { return *family_; }
  std::size_t split_k() const { return split_k_; }  // the column's index; kNoColumn: none
  const lookup::Table& table() const { return loaded_.table; }
  const RowTexts& texts() const { return texts_; }
  th_table_info Info() const;

 private:
  OpenTable(std::shared_ptr<const core::Family> family, lookup::LoadedTable loaded);

  std::shared_ptr<const core::Family> family_;  // the table points to it
  lookup::LoadedTable loaded_;
  RowTexts texts_;
  std::size_t split_k_ = core::kNoColumn;
  std::size_t left_out_ = 0;
  std::string why_;
};

// Errors: not_read, with the path and the reason.
core::Result<std::string> ReadFile(const std::string& path);

// The targets that are compiled into the library. A test reads them, so this cannot fail in a
// tested build.
const core::Targets& BuiltInTargets();

}  // namespace tunehub::th
