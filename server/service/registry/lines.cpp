#include "server/service/registry/lines.h"

#include <stdexcept>

namespace tunehub::service {

std::shared_ptr<const core::Family> FamilyVersions::Get(std::int16_t family, int version) {
  const std::lock_guard lock(mutex_);
  auto& known = known_[{family, version}];
  if (known == nullptr) {
    const std::string name =
        "family " + std::to_string(family) + " version " + std::to_string(version);
    auto parsed = core::ParseFamily(name, store_.schema().FamilyDefinition(family, version));
    if (!parsed.ok()) throw std::runtime_error(parsed.error().detail);
    known = std::make_shared<const core::Family>(*std::move(parsed));
  }
  return known;
}

std::optional<core::Row> Reread(const core::Family& from, const core::Family& to,
                                const core::Targets& targets, std::string_view line,
                                std::optional<double> error_limit) {
  std::string table = from.Header(true) + "\n";
  table.append(line).push_back('\n');
  auto read =
      core::ReadTunedTable(to, targets, table, {.error_limit = error_limit, .warnings = false});
  if (!read.ok() || read->rows.size() != 1) return std::nullopt;
  return std::move(read->rows[0]);
}

}  // namespace tunehub::service
