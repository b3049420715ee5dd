#include "dispatch/layer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::th {
namespace {

using core::Error;

struct Dimension {
  const char* name;
  std::int64_t value;
  std::size_t column;
};

// Appends "a=1,b=2" to the cells, which point into `items`.
core::Status AddColumns(std::string_view items, std::vector<core::NamedCell>& cells) {
  for (const std::string_view item : core::SplitAfter(items, ",")) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return Error{"bad_shape", fmt::format("'{}': expected COLUMN=VALUE", item)};
    }
    cells.push_back({item.substr(0, equals), item.substr(equals + 1)});
  }
  return core::Ok();
}

// The shape of a layer, with 1 in the column of M.
core::Result<core::FamilyShape> LayerShape(const core::Family& family, std::string_view gfx,
                                           const th_shape& shape) {
  const Dimension dimensions[] = {{"batch", shape.batch, family.metric.batch},
                                  {"n", shape.n, family.metric.n},
                                  {"k", shape.k, family.metric.k}};
  std::vector<std::string> numbers;
  numbers.reserve(std::size(dimensions));  // cells point into it
  std::vector<core::NamedCell> cells;
  for (const Dimension& it : dimensions) {
    if (it.value == 0) continue;  // MakeShape reports a missing dimension
    if (it.column == core::kNoColumn) {
      return Error{"bad_shape", fmt::format("{} is {}, but {} has no such dimension", it.name,
                                            it.value, family.name)};
    }
    numbers.push_back(std::to_string(it.value));
    cells.push_back({family.columns[it.column].name, numbers.back()});
  }
  const std::size_t open = core::MColumnOf(family);
  if (open != core::kNoColumn) cells.push_back({family.columns[open].name, "1"});
  const auto added = AddColumns(shape.columns == nullptr ? "" : shape.columns, cells);
  if (!added.ok()) return added.error();
  core::FamilyShape made;
  if (const auto issue = core::MakeShape(family, gfx, cells, 0, made)) {
    return Error{issue->code, issue->column + ": " + issue->detail};
  }
  return made;
}

// A lookup copies the shape key and changes the copy, which has room for this many columns. Every
// family compares fewer columns.
constexpr std::size_t kMostCompared = 32;
constexpr int kMostM = std::numeric_limits<int>::max();
constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

// Step names are literals, so a zero byte follows them.
const char* NameOf(lookup::Step step) {
  return lookup::Name(step).data();
}

}  // namespace

core::Result<std::unique_ptr<Layer>> Layer::Make(std::shared_ptr<const OpenTable> table,
                                                 const core::Target& target,
                                                 const th_shape& shape) {
  const auto made = LayerShape(table->family(), target.gfx, shape);
  if (!made.ok()) return made.error();
  return std::unique_ptr<Layer>(new Layer(std::move(table), target, *made));
}

Layer::Layer(std::shared_ptr<const OpenTable> table, const core::Target& target,
             const core::FamilyShape& shape)
    : table_(std::move(table)),
      key_(table_->table().KeyOf(shape, target.gfx, target.cu_num)),
      m_place_(table_->table().reader().PlaceOf(core::MColumnOf(table_->family()))),
      launcher_(Launcher::Make(table_->family(), target, shape)) {
  if (key_.size() > kMostCompared) throw std::logic_error("the lookup compares too many columns");
}

core::Status Layer::CheckM(std::int64_t m) const {
  if (m_place_ == core::kNoColumn || (m >= 1 && m <= kMostM)) return core::Ok();
  return Error{"bad_argument", fmt::format("m is {}; expected a number from 1 to {}", m, kMostM)};
}

core::Status Layer::Find(std::int64_t m, th_answer& answer) const {
  if (auto status = CheckM(m); !status.ok()) return status;
  std::array<std::int64_t, kMostCompared> room;
  const std::span<std::int64_t> key(room.data(), key_.size());
  std::ranges::copy(key_, key.begin());
  if (m_place_ != core::kNoColumn) key[m_place_] = m;
  const lookup::Found found = table_->table().FindRow(key);
  if (found.row == lookup::kNoRow) {
    answer = {0, NameOf(found.step), m, "", "", 0, kNoTime, 0, 0};
  } else {
    answer = AnswerOf(found, m_place_ == core::kNoColumn ? m : key[m_place_]);
  }
  return core::Ok();
}

th_answer Layer::AnswerOf(const lookup::Found& found, std::int64_t m) const {
  const core::Family& family = table_->family();
  const auto text = [&](std::size_t column) {
    return column == core::kNoColumn ? "" : table_->texts().At(found.row, column);
  };
  const char* const name =
      text(family.kernel_columns.empty() ? core::kNoColumn : family.kernel_columns.front());
  th_answer answer;
  answer.found = 1;
  answer.step = NameOf(found.step);
  answer.m = m;
  answer.kernel_name = name;
  answer.libtype = text(family.libtype);
  answer.split_k = core::ParseInt(text(table_->split_k())).value_or(0);
  answer.us = table_->table().rows()[found.row].us;
  answer.own_kernel = std::string_view(name).starts_with(core::kOwnKernelPrefix) ? 1 : 0;
  answer.row = found.row;
  return answer;
}

core::Status Layer::Cell(std::size_t row, std::string_view column, const char*& text) const {
  const std::size_t rows = table_->table().rows().size();
  if (row >= rows) {
    return Error{"bad_argument", fmt::format("row is {}; the table has {}", row, rows)};
  }
  const std::size_t index = table_->family().Find(column);
  if (index == core::kNoColumn) {
    return Error{"unknown_column",
                 fmt::format("'{}': expected a column of {}", column, table_->family().name)};
  }
  text = table_->texts().At(row, index);
  return core::Ok();
}

core::Result<Launcher*> Layer::LauncherAt(std::int64_t m) const {
  if (auto status = CheckM(m); !status.ok()) return status.error();
  if (!launcher_.ok()) return launcher_.error();
  return launcher_->get();
}

core::Status Layer::Default(std::int64_t m, th_answer& answer) const {
  const auto launcher = LauncherAt(m);
  if (!launcher.ok()) return launcher.error();
  const auto kernel = (*launcher)->choices().Default(static_cast<int>(m));
  if (!kernel.ok()) return kernel.error();
  answer = {0,
            NameOf(lookup::Step::kDefault),
            m,
            kernel->name,
            kernels::kLibtype,
            kernel->split_k,
            kNoTime,
            1,
            0};
  return core::Ok();
}

}  // namespace tunehub::th
