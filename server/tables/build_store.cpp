#include "server/tables/build_store.h"

#include <fmt/core.h>

#include <limits>

#include "core/base/text.h"
#include "server/db/quota.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "sql.h"

namespace tunehub::server {
namespace {

BuildRecord ReadBuild(const pqxx::row& row) {
  const auto text = [&](pqxx::row::size_type i) { return row[i].as<std::string>(); };
  return {row[0].as<std::int64_t>(), text(1), text(2), text(3), text(4), text(5)};
}

core::Status CheckBuildOwner(const std::string& name, const Writer& by, const pqxx::result& owner) {
  if (owner.empty()) return core::Ok();
  return CheckOwner(by, fmt::format("build '{}'", name), owner[0][0].as<std::string>());
}

}  // namespace

core::Status BuildStore::MayPut(const std::string& name, const Writer& by) {
  return CheckBuildOwner(name, by, Query(pool_, sql::find_build_owner, name));
}

core::Result<PutBuild> BuildStore::Put(const BuildContent& content, const Writer& by) {
  return InTransaction(pool_, [&](pqxx::work& transaction) -> Ending<PutBuild> {
    transaction.exec_params(sql::lock_build, content.name);
    const auto owner = transaction.exec_params(sql::find_build_owner, content.name);
    if (auto may = CheckBuildOwner(content.name, by, owner); !may.ok()) return may.error();
    const auto row =
        transaction.exec_params1(sql::put_build, content.name, content.sha256, content.kind,
                                 by.api_key, content.summary, content.manifest);
    const bool created = row[6].as<bool>();
    const Usage used = {.bytes = static_cast<std::int64_t>(content.manifest.size())};
    if (auto within = Charge(transaction, {{&by, used}}); !within.ok()) return within.error();
    Audit(transaction, by, "build put",
          fmt::format("{}@{}{}", content.name, content.sha256, created ? "" : ", again"));
    return PutBuild{ReadBuild(row), created};
  });
}

std::optional<BuildRecord> BuildStore::Find(const std::string& name, const std::string& sha256) {
  auto newest = List(std::numeric_limits<std::int64_t>::max(), name, 1, sha256);
  if (newest.empty()) return std::nullopt;
  return std::move(newest.front());
}

std::optional<std::string> BuildStore::Manifest(const std::string& name,
                                                const std::string& sha256) {
  const auto found = Query(pool_, sql::read_manifest, name, sha256);
  if (found.empty()) return std::nullopt;
  return found[0][0].as<std::string>();
}

std::vector<BuildRecord> BuildStore::List(std::int64_t before_put, const std::string& name,
                                          std::size_t limit, const std::string& sha256) {
  return core::Mapped(
      Query(pool_, sql::list_builds, before_put, name, static_cast<std::int64_t>(limit), sha256),
      ReadBuild);
}

std::vector<std::string> BuildStore::Names(std::size_t limit) {
  return core::Mapped(Query(pool_, sql::list_build_names, static_cast<std::int64_t>(limit)),
                      [](const pqxx::row& row) { return row[0].as<std::string>(); });
}

}  // namespace tunehub::server
