#include "agent/tuning/tuned_file.h"

#include <fmt/core.h>

#include <set>

#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"
#include "core/table/table_writer.h"

namespace tunehub::agent::tuning {

core::Result<TunedFile> TunedFile::Open(const core::Family& family, const core::Targets& targets,
                                        const std::filesystem::path& path) {
  TunedFile file(family, targets, path);
  const auto bytes = core::FileBytes::Read(path.string());
  if (!bytes.ok() && bytes.error().code != "file_not_found") return bytes.error();
  if (!bytes.ok() || bytes->view().empty()) return file;
  if (auto status = file.Read(bytes->view(), path.string()); !status.ok()) return status.error();
  return file;
}

core::Status TunedFile::Read(std::string_view csv, const std::string& what) {
  const auto table = core::ReadTunedTable(*family_, *targets_, csv,
                                          {.error_limit = std::nullopt, .warnings = false});
  if (!table.ok()) return core::Error{table.error().code, what + ": " + table.error().detail};
  if (!table->rejected.empty()) {
    const core::RowIssue& issue = table->rejected.front();
    return core::Error{
        "lossy_table",
        fmt::format("{}:{}: {}: {}; the row would be lost, so the table is not changed", what,
                    issue.line, issue.column, issue.detail)};
  }
  for (const core::Row& row : table->rows) lines_[row.order] = row.line;
  return core::Ok();
}

core::Status TunedFile::Put(const core::Target& target, const Columns& shape,
                            const Measurement& measurement) {
  return PutTable(
      fmt::format("{}\n{}\n", family_->Header(true), LineOf(*family_, target, shape, measurement)));
}

core::Status TunedFile::PutTable(std::string_view csv) {
  if (auto status = Read(csv, "the tuned rows"); !status.ok()) return status;
  return Save();
}

core::Status TunedFile::Save() const {
  std::vector<std::string_view> lines;
  for (const auto& [order, it] : lines_) lines.push_back(it);
  return core::WriteAtomically(path_, core::WriteTable(*family_, lines));
}

core::Status TunedFile::Fill(const std::vector<TunedRow>& rows) {
  std::set<std::string> measured;
  for (const TunedRow& row : Measured()) measured.insert(row.order);
  bool filled = false;
  for (const TunedRow& row : rows) {
    if (measured.contains(row.order)) continue;
    lines_[row.order] = row.line;
    filled = true;
  }
  return filled ? Save() : core::Ok();
}

std::vector<TunedRow> TunedFile::Measured() const {
  std::string csv = family_->Header(true) + "\n";
  for (const auto& [order, line] : lines_) csv += line + "\n";
  auto rows = ReadTunedRows(*family_, *targets_, csv);
  return rows.ok() ? *std::move(rows) : std::vector<TunedRow>();
}

std::vector<TunedRow> TunedFile::RowsOf(const core::Target& target) const {
  std::vector<TunedRow> own;
  for (TunedRow& row : Measured()) {
    if (row.target == target) own.push_back(std::move(row));
  }
  return own;
}

}  // namespace tunehub::agent::tuning
