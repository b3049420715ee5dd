#include "server/snapshots/definitions.h"

#include <fmt/core.h>

#include <stdexcept>

#include "server/db/schema.h"

namespace tunehub::server {

std::shared_ptr<const core::Family> FamilyVersions::Get(std::int16_t family, int version) {
  int era = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find({family, version});
    if (known != known_.end()) return known->second;
    era = era_;
  }
  // Reads without the lock, so that other threads need not wait. Two threads may read the same
  // version.
  const std::string name = fmt::format("family {} version {}", family, version);
  auto parsed = core::ParseFamily(name, Schema(pool_).FamilyDefinition(family, version));
  if (!parsed.ok()) throw std::runtime_error(parsed.error().detail);
  auto read = std::make_shared<const core::Family>(*std::move(parsed));
  const std::lock_guard lock(mutex_);
  if (era != era_) return read;  // not cached: a restore has replaced the database
  return known_.emplace(std::pair(family, version), std::move(read)).first->second;
}

void FamilyVersions::Learn(std::int16_t family) {
  for (const int version : Schema(pool_).VersionsOf(family)) Get(family, version);
}

bool FamilyVersions::Renew(const core::Family& to, std::int16_t id, int version,
                           const core::Targets& targets, std::string& line) {
  const auto from = Get(id, version);
  if (from->source == to.source) return true;
  auto row = Reread(*from, to, targets, line);
  if (row) line = std::move(row->line);
  return row.has_value();
}

void FamilyVersions::Forget() {
  const std::lock_guard lock(mutex_);
  known_.clear();
  ++era_;
}

// Reads the lines as a tuned table under the header of their version.
std::optional<std::vector<core::Row>> Reread(const core::Family& from, const core::Family& to,
                                             const core::Targets& targets,
                                             std::span<const std::string_view> lines,
                                             std::optional<double> error_limit) {
  std::string table = from.Header(true) + "\n";
  for (const std::string_view line : lines) table.append(line).push_back('\n');
  auto read = core::ReadTunedTable(
      to, targets, table,
      {.max_rows = lines.size(), .error_limit = error_limit, .warnings = false});
  if (!read.ok() || read->rows.size() != lines.size()) return std::nullopt;
  return std::move(read->rows);
}

std::optional<core::Row> Reread(const core::Family& from, const core::Family& to,
                                const core::Targets& targets, std::string_view line,
                                std::optional<double> error_limit) {
  auto rows = Reread(from, to, targets, std::span(&line, 1), error_limit);
  if (!rows) return std::nullopt;
  return std::move(rows->front());
}

}  // namespace tunehub::server
