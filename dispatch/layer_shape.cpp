#include "dispatch/layer_shape.h"

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/split.h"

namespace tunehub::th {
namespace {

using core::Error;

struct Dimension {
  const char* name;
  std::int64_t value;
  std::size_t column;
};

// Appends "a=1,b=2" to the cells, which view it.
core::Status AddColumns(std::string_view items, std::vector<core::NamedCell>& cells) {
  for (const std::string_view item : core::SplitAfter(items, ",")) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return Error{"bad_shape", fmt::format("'{}' is not COLUMN=VALUE", item)};
    }
    cells.push_back({item.substr(0, equals), item.substr(equals + 1)});
  }
  return core::Ok();
}

}  // namespace

std::size_t OpenColumn(const core::Family& family) {
  return family.lookup.m != core::kNoColumn ? family.lookup.m : family.metric.m;
}

core::Result<core::FamilyShape> LayerShape(const core::Family& family, std::string_view gfx,
                                           const th_shape& shape) {
  const Dimension dimensions[] = {{"batch", shape.batch, family.metric.batch},
                                  {"n", shape.n, family.metric.n},
                                  {"k", shape.k, family.metric.k}};
  std::vector<std::string> numbers;
  numbers.reserve(std::size(dimensions));  // cells view them
  std::vector<core::NamedCell> cells;
  for (const Dimension& it : dimensions) {
    if (it.value == 0) continue;  // where it is missing, MakeShape says so
    if (it.column == core::kNoColumn) {
      return Error{"bad_shape", fmt::format("{} is {}, but {} has no such dimension", it.name,
                                            it.value, family.name)};
    }
    numbers.push_back(std::to_string(it.value));
    cells.push_back({family.columns[it.column].name, numbers.back()});
  }
  const std::size_t open = OpenColumn(family);
  if (open != core::kNoColumn) cells.push_back({family.columns[open].name, "1"});
  const auto added = AddColumns(shape.columns == nullptr ? "" : shape.columns, cells);
  if (!added.ok()) return added.error();
  core::FamilyShape made;
  if (const auto issue = core::MakeShape(family, gfx, cells, 0, made)) {
    return Error{issue->code, issue->column + ": " + issue->detail};
  }
  return made;
}

}  // namespace tunehub::th
