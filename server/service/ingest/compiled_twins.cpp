#include "server/service/ingest/compiled_twins.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/row/key.h"
#include "core/table/table_writer.h"

namespace tunehub::service {
namespace {

// The rows of one family by what a compiled table knows of them.
class Shapes {
 public:
  explicit Shapes(const core::Family& family) : family_(family) {}

  void Add(const std::string& line) {
    auto [shape, value] = Split(line);
    values_[std::move(shape)].insert(std::move(value));
  }

  // Why the row is not alone; "" where it is.
  std::string Twins(const std::string& line) const {
    const auto found = values_.find(Split(line).first);
    if (found == values_.end() || found->second.size() < 2) return "";
    std::string values, last;
    for (const auto& [order, text] : found->second) {
      values += (values.empty() ? "" : " and ") + text;
      last = text;
    }
    return fmt::format(
        "this shape has rows of {}, which a compiled table cannot tell apart: it keeps the last, "
        "{}",
        values, last);
  }

 private:
  // Ordered as the rows are served.
  using Value = std::pair<std::string, std::string>;

  std::pair<std::string, Value> Split(const std::string& line) const {
    std::string scratch;
    core::Cells cells = core::SplitLine(line, scratch);
    Value value;
    for (const std::size_t column : family_.lookup.compiled_without) {
      value.second += (value.second.empty() ? "" : " ") + std::string(cells[column]);
    }
    core::AppendOrderKey(value.first, family_, cells);
    for (const std::size_t column : family_.lookup.compiled_without) cells[column] = "";
    std::string shape;
    core::AppendOrderKey(shape, family_, cells);
    return {std::move(shape), std::move(value)};
  }

  const core::Family& family_;
  std::map<std::string, std::set<Value>> values_;
};

}  // namespace

std::vector<std::vector<core::RowIssue>> CompiledTwins(const Definitions& definitions,
                                                       const Snapshots& served,
                                                       const std::vector<registry::StagedRow>& rows,
                                                       std::size_t files) {
  std::vector<std::vector<core::RowIssue>> warnings(files);
  for (const auto& family : definitions.families.all()) {
    const auto& without = family->lookup.compiled_without;
    const std::int16_t id = definitions.Id(*family);
    const auto counts = [&](const registry::StagedRow& it) {
      return it.family == id && core::Competes(it.row.standing);
    };
    if (without.empty() || std::none_of(rows.begin(), rows.end(), counts)) continue;
    Shapes shapes(*family);
    served.WaitUpToDate();
    for (const auto& row : served.Current(*family)->rows) shapes.Add(row->line);
    for (const registry::StagedRow& it : rows) {
      if (counts(it)) shapes.Add(it.row.line);
    }
    for (const registry::StagedRow& it : rows) {
      if (!counts(it)) continue;
      std::string detail = shapes.Twins(it.row.line);
      if (detail.empty()) continue;
      warnings[it.file].push_back({it.row.source_line, family->columns[without.front()].name,
                                   "compiled_twin", std::move(detail)});
    }
  }
  return warnings;
}

}  // namespace tunehub::service
