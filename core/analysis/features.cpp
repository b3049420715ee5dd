#include "core/analysis/features.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/row/cell.h"

namespace tunehub::analysis {
namespace {

struct Tile {
  int m, n;
};

// From what decoding uses to what prefill does.
constexpr std::array<Tile, 4> kTiles = {{{16, 64}, {32, 64}, {64, 64}, {128, 128}}};

std::string Name(const char* what, const Tile& tile) {
  return fmt::format("{}{}x{}", what, tile.m, tile.n);
}

bool IsNumber(const core::Column& column) {
  return column.type == core::Type::kInteger || column.type == core::Type::kNumber ||
         column.type == core::Type::kBoolean || column.type == core::Type::kFlag ||
         column.type == core::Type::kEnum;
}

double NumberOf(const core::Column& column, std::string_view cell) {
  if (column.type == core::Type::kEnum) {
    const auto found = std::find(column.values.begin(), column.values.end(), cell);
    return static_cast<double>(found - column.values.begin());
  }
  if (column.type == core::Type::kBoolean) return cell == "True" ? 1 : 0;
  const double number = core::ParseNumber(cell).value_or(0);
  return std::isfinite(number) ? number : 0;
}

bool IsGemm(const core::Family& family) {
  return family.metric.formula == "gemm";
}

bool IsMoe(const core::Family& family) {
  return family.metric.formula == "fmoe";
}

double NumberAt(const core::Family& family, std::size_t column, const core::Cells& cells) {
  return NumberOf(family.columns[column], cells[column]);
}

}  // namespace

Features::Features(const core::Family& family) : family_(family) {
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    const core::Column& column = family.columns[i];
    if (column.role != core::Role::kShape || !IsNumber(column)) continue;
    columns_.push_back(i);
    names_.push_back(column.name);
  }
  if (IsMoe(family)) names_.emplace_back("rows_per_expert");
  if (!IsGemm(family)) return;
  for (const char* name : {"MN", "MK", "NK"}) names_.emplace_back(name);
  for (const Tile& tile : kTiles) {
    names_.push_back(Name("waves_", tile));
    names_.push_back(Name("fill_", tile));
  }
}

std::size_t Features::Find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? core::kNoColumn : static_cast<std::size_t>(found - names_.begin());
}

void Features::Of(const core::Cells& cells, int cu_num, std::vector<double>& numbers) const {
  numbers.clear();
  for (std::size_t column : columns_) numbers.push_back(NumberAt(family_, column, cells));
  if (IsMoe(family_)) {
    const auto named = [&](const char* name) {
      return NumberAt(family_, family_.Find(name), cells);
    };
    numbers.push_back(named("token") * named("topk") / std::max(1.0, named("expert")));
  }
  if (!IsGemm(family_)) return;
  const double m = NumberAt(family_, family_.metric.m, cells);
  const double n = NumberAt(family_, family_.metric.n, cells);
  const double k = NumberAt(family_, family_.metric.k, cells);
  numbers.insert(numbers.end(), {m * n, m * k, n * k});
  const double cus = std::max(1, cu_num);
  for (const Tile& tile : kTiles) {
    const double waves = std::ceil(m / tile.m) * std::ceil(n / tile.n) / cus;
    numbers.push_back(waves);
    numbers.push_back(waves / std::max(1.0, std::ceil(waves)));
  }
}

std::string Features::Expression(std::size_t feature, const NameOf& name_of) const {
  if (feature < columns_.size()) return name_of(columns_[feature]);
  if (IsMoe(family_)) {
    const auto named = [&](const char* name) { return name_of(family_.Find(name)); };
    return fmt::format("{} * {} / max(1.0, {})", named("token"), named("topk"), named("expert"));
  }
  const std::string m = name_of(family_.metric.m), n = name_of(family_.metric.n),
                    k = name_of(family_.metric.k);
  const std::array products = {m + " * " + n, m + " * " + k, n + " * " + k};
  std::size_t place = feature - columns_.size();
  if (place < products.size()) return products[place];
  place -= products.size();
  const Tile& tile = kTiles[place / 2];
  const std::string waves = fmt::format("1.0 * ceil({} / {}.0) * ceil({} / {}.0) / max(1.0, {})", m,
                                        tile.m, n, tile.n, name_of(core::kNoColumn));
  return place % 2 == 0 ? waves : fmt::format("{0} / max(1.0, ceil({0}))", "(" + waves + ")");
}

}  // namespace tunehub::analysis
