#include "agent/commands/tables/check_tables.h"

#include <fmt/core.h>

#include <iterator>
#include <memory>

#include "agent/commands/tables/table_test.h"
#include "core/builds/build_fit.h"
#include "core/system/file_bytes.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

// Row::reason is "code: detail".
Remark FromReason(const std::string& file, const core::Row& row) {
  const std::size_t colon = row.reason.find(": ");
  if (colon == std::string::npos) return {file, {row.source_line, "", row.reason, ""}};
  return {file, {row.source_line, "", row.reason.substr(0, colon), row.reason.substr(colon + 2)}};
}

void Append(std::vector<Remark>& remarks, const std::string& file,
            std::vector<core::RowIssue>& issues) {
  for (core::RowIssue& issue : issues) remarks.push_back({file, std::move(issue)});
}

void AddTable(FamilyFindings& findings, const std::string& file, core::TunedTable table) {
  findings.rows += table.rows.size() + table.rejected.size();
  Append(findings.rejected, file, table.rejected);
  Append(findings.warnings, file, table.warnings);
  for (const core::Row& row : table.rows) {
    if (row.inferred_gfx) ++findings.inferred_gfx;
    if (!core::Competes(row.standing)) {
      findings.quarantined.push_back(FromReason(file, row));
    }
    if (row.standing == core::Standing::kUnmeasured) {
      findings.unmeasured.push_back(FromReason(file, row));
    }
  }
}

// AITER stops at such a row: when it is built with it, or when it first looks it up.
void AddUnbuilt(FamilyFindings& findings, const std::string& file, const core::TunedTable& table,
                const core::Manifest& build) {
  const core::BuildFit fit(*findings.family, build);
  std::string scratch;
  for (const core::Row& row : table.rows) {
    if (!core::Competes(row.standing)) continue;
    const std::string why = fit.WhyNot(core::SplitLine(row.line, scratch));
    if (!why.empty()) findings.unbuilt.push_back({file, {row.source_line, "", "no_kernel", why}});
  }
}

core::Result<std::shared_ptr<const core::FileBytes>> BytesOf(const TreeFile& file) {
  if (file.bytes != nullptr) return file.bytes;
  auto read = core::FileBytes::Read(file.path);
  if (!read.ok()) return read.error();
  return std::make_shared<const core::FileBytes>(*std::move(read));
}

}  // namespace

void AddMisnamed(FamilyFindings& findings, const std::string& file) {
  findings.warnings.push_back(
      {file,
       {1, "", "misnamed",
        fmt::format("it has the header of {}, but AITER reads only names that hold '{}'",
                    findings.family->name, findings.family->token)}});
}

FamilyFindings CheckFamily(const FamilyFiles& files, const core::Targets& targets,
                           const CheckRules& rules) {
  FamilyFindings findings;
  findings.family = files.family;
  std::vector<std::shared_ptr<const core::FileBytes>> bytes;
  std::vector<core::SourceFile> readable;
  for (const TreeFile& file : files.files) {
    auto read = BytesOf(file);
    if (!read.ok()) {
      findings.refused.push_back({file.name, read.error()});
      continue;
    }
    bytes.push_back(*std::move(read));
    auto table = core::ReadTunedTable(*files.family, targets, bytes.back()->view(),
                                      {.error_limit = {}, .identify = nullptr});
    if (!table.ok()) {
      findings.refused.push_back({file.name, table.error()});
      continue;
    }
    if (rules.build != nullptr) AddUnbuilt(findings, file.name, *table, *rules.build);
    if (rules.table_test) AddTestFailures(*files.family, file.name, *table, findings.test_failures);
    AddTable(findings, file.name, *std::move(table));
    findings.files.push_back(file.name);
    readable.push_back({file.name, bytes.back()->view()});
  }
  // Every file in `readable` was read a moment ago, so the merge cannot refuse one.
  auto merged = core::MergeTables(*files.family, targets, readable);
  if (merged.ok()) findings.duplicates = std::move(merged->duplicates);
  return findings;
}

}  // namespace tunehub::agent
