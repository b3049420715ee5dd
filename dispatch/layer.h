// A layer: one GEMM of a model on one kind of GPU, which is the whole shape key except M.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/shapes/shape.h"
#include "dispatch/launcher.h"
#include "dispatch/open_table.h"
#include "dispatch/tunehub_dispatch.h"

namespace tunehub::th {

class Layer {
 public:
  // Errors: as MakeShape, with the column; bad_shape (a number for a dimension that the family
  // lacks, a missing number, or an item of `columns` that is not COLUMN=VALUE).
  static core::Result<std::unique_ptr<Layer>> Make(std::shared_ptr<const OpenTable> table,
                                                   const core::Target& target,
                                                   const th_shape& shape);

  // Errors: bad_argument (m is out of range).
  core::Status Find(std::int64_t m, th_answer& answer) const;
  // Errors: bad_argument (row out of range), unknown_column.
  core::Status Cell(std::size_t row, std::string_view column, const char*& text) const;
  // Errors: bad_argument (m is out of range); as Launcher::Make and Choices::Default.
  core::Status Default(std::int64_t m, th_answer& answer) const;
  // The layer's launcher at m. Errors: bad_argument (m is out of range); as Launcher::Make.
  core::Result<Launcher*> LauncherAt(std::int64_t m) const;

 private:
  Layer(std::shared_ptr<const OpenTable> table, const core::Target& target,
        const core::FamilyShape& shape);
  core::Status CheckM(std::int64_t m) const;
  th_answer AnswerOf(const lookup::Found& found, std::int64_t m) const;

  std::shared_ptr<const OpenTable> table_;
  std::vector<std::int64_t> key_;  // at M = 1
  std::size_t m_place_;            // index in key_; kNoColumn: the family has no M
  core::Result<std::shared_ptr<Launcher>> launcher_;
};

}  // namespace tunehub::th
