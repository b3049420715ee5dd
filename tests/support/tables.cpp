#include "tests/support/tables.h"

#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::test {

core::TunedTable ReadTable(std::string_view family, std::string_view csv,
                           const core::ReadOptions& options) {
  return Must(core::ReadTunedTable(ShippedFamily(family), ShippedTargets(), csv, options));
}

std::string Lines(const core::TunedTable& table) {
  std::string lines;
  for (const core::Row& row : table.rows) lines += row.line + "\n";
  return lines;
}

namespace {

std::string Codes(const std::vector<core::RowIssue>& issues) {
  std::string out;
  for (const core::RowIssue& issue : issues) {
    out += (out.empty() ? "" : "; ") + std::to_string(issue.line) + " " + issue.column + " " +
           issue.code;
  }
  return out;
}

}  // namespace

std::string Rejections(const core::TunedTable& table) {
  return Codes(table.rejected);
}

std::string Warnings(const core::TunedTable& table) {
  return Codes(table.warnings);
}

std::string Refusal(std::string_view family, std::string_view csv,
                    const core::ReadOptions& options) {
  const auto table = core::ReadTunedTable(ShippedFamily(family), ShippedTargets(), csv, options);
  return table.ok() ? "" : table.error().code + ": " + table.error().detail;
}

}  // namespace tunehub::test
