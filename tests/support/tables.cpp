#include "tests/support/tables.h"

#include <stdexcept>

#include "tests/support/shipped.h"

namespace tunehub::test {

core::TunedTable ReadTable(std::string_view family, std::string_view csv,
                           const core::ReadOptions& options) {
  auto table = core::ReadTunedTable(ShippedFamily(family), ShippedTargets(), csv, options);
  if (!table.ok()) throw std::runtime_error(table.error().code + ": " + table.error().detail);
  return *std::move(table);
}

std::string Lines(const core::TunedTable& table) {
  std::string lines;
  for (const core::Row& row : table.rows) lines += row.line + "\n";
  return lines;
}

std::string Rejections(const core::TunedTable& table) {
  std::string out;
  for (const core::RowIssue& issue : table.rejected) {
    out += (out.empty() ? "" : "; ") + std::to_string(issue.line) + " " + issue.column + " " +
           issue.code;
  }
  return out;
}

std::string Refusal(std::string_view family, std::string_view csv,
                    const core::ReadOptions& options) {
  const auto table = core::ReadTunedTable(ShippedFamily(family), ShippedTargets(), csv, options);
  return table.ok() ? "" : table.error().code + ": " + table.error().detail;
}

}  // namespace tunehub::test
