#include "server/store/ingest/permission.h"

#include <fmt/core.h>

#include "core/base/excerpt.h"
#include "server/store/ingest/sources.h"
#include "sql.h"

namespace tunehub::store {

core::Status CheckTargets(const Writer& writer, const pqxx::result& targets) {
  for (const auto& row : targets) {
    if (auto within = CheckFamily(writer, row[0].as<std::string>()); !within.ok()) return within;
    auto within = CheckTarget(writer, row[1].as<std::string>(), row[2].as<int>());
    if (!within.ok()) return within;
  }
  return core::Ok();
}

core::Status CheckSourceOwner(const Writer& writer, const std::string& name, const Source& source) {
  return CheckOwner(writer, fmt::format("source '{}'", core::Excerpt(name)), source.owner);
}

core::Status MayRevert(pqxx::work& transaction, const Writer& writer, const RunRecord& run) {
  std::string what = fmt::format("run {}", run.id), owner = run.owner;
  if (!run.source.empty()) {
    what += fmt::format(" of source '{}'", core::Excerpt(run.source));
    owner = transaction.exec_params1(sql::find_owner, run.source)[0].as<std::string>();
  }
  if (auto owned = CheckOwner(writer, what, owner); !owned.ok()) return owned;
  if (!writer.limits || !writer.limits->any()) return core::Ok();
  if (auto within = CheckSource(writer, run.source); !within.ok()) return within;
  const auto targets = transaction.exec_params(sql::targets_of_run, run.id);
  if (auto within = CheckTargets(writer, targets); !within.ok() || run.source.empty())
    return within;
  return CheckTargets(writer, TargetsOfRevert(transaction, run.source, run.id));
}

}  // namespace tunehub::store
