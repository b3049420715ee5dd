// The family files and targets.json as the database knows them: versioned, because an old revision
// is rendered by the columns it had.
#include <fmt/core.h>

#include <map>

#include "server/store/connection/transaction.h"
#include "server/store/ingest/reclassify.h"
#include "server/store/registry/schema.h"
#include "sql.h"

namespace tunehub::store {
namespace {

struct Known {
  std::int16_t id = 0;
  int version = 0;
  std::string sha256;
};

std::map<std::string, Known> KnownFamilies(pqxx::work& transaction) {
  std::map<std::string, Known> known;
  for (const auto& row : transaction.exec(sql::known_definitions)) {
    known[row[1].as<std::string>()] = {row[0].as<std::int16_t>(), row[2].as<int>(),
                                       row[3].as<std::string>()};
  }
  return known;
}

void Record(pqxx::work& transaction, const core::Family& family, std::int16_t id, int version) {
  transaction.exec_params0(sql::insert_family_version, id, version, family.Sha256(), family.source);
  transaction.exec_params0(sql::set_family_version, id, version);
}

// Those of a server that a rolling upgrade has not come to yet.
bool IsOlder(pqxx::work& transaction, const core::Targets& targets) {
  return transaction.exec_params1(sql::was_targets, targets.Sha256())[0].as<bool>();
}
bool IsOlder(pqxx::work& transaction, const core::Family& family, std::int16_t id) {
  return transaction.exec_params1(sql::was_family, id, family.Sha256())[0].as<bool>();
}

// Also a new targets.json changes every family's standings.
core::Result<bool> SyncTargets(pqxx::work& transaction, const core::Targets& targets,
                               OtherFile other) {
  const auto known = transaction.exec(sql::known_targets);
  if (!known.empty() && known[0][1].as<std::string>() == targets.Sha256()) return false;
  if (other == OtherFile::kOlderServes && IsOlder(transaction, targets)) return false;
  if (!known.empty() && other != OtherFile::kTaken) {
    return core::Error{"definitions_changed",
                       "targets.json or devices.json has changed since the tables were judged: "
                       "run 'tunehub-server migrate'"};
  }
  const int version = known.empty() ? 1 : known[0][0].as<int>() + 1;
  transaction.exec_params0(sql::insert_targets_version, version, targets.Sha256(),
                           targets.Definition());
  return !known.empty();
}

// The families that have changed. Error definitions_changed.
core::Result<std::vector<std::string>> Sync(pqxx::work& transaction, const core::Families& families,
                                            const core::Targets& targets, OtherFile other) {
  transaction.exec("SELECT pg_advisory_xact_lock(7410)");
  const auto all = SyncTargets(transaction, targets, other);
  if (!all.ok()) return all.error();
  std::vector<std::string> changed;
  std::map<std::string, Known> known = KnownFamilies(transaction);
  for (const auto& family : families.all()) {
    const auto found = known.find(family->name);
    if (found == known.end()) {
      const auto id =
          transaction.exec_params1(sql::insert_family, family->name)[0].as<std::int16_t>();
      Record(transaction, *family, id, 1);
      continue;
    }
    const bool differs = found->second.sha256 != family->Sha256();
    if (differs && other == OtherFile::kOlderServes &&
        IsOlder(transaction, *family, found->second.id)) {
      continue;
    }
    if (differs && other != OtherFile::kTaken) {
      return core::Error{
          "definitions_changed",
          fmt::format(
              "the family file of {} has changed since version {}: run 'tunehub-server migrate'",
              family->name, found->second.version)};
    }
    if (differs) Record(transaction, *family, found->second.id, found->second.version + 1);
    if (differs || *all) changed.push_back(family->name);
  }
  return changed;
}

}  // namespace

core::Result<std::optional<std::int64_t>> Schema::SyncDefinitions(const core::Families& families,
                                                                  const core::Targets& targets,
                                                                  OtherFile other) {
  using Revision = std::optional<std::int64_t>;
  return InTransaction(pool_, [&](pqxx::work& transaction) -> Ending<Revision> {
    const auto changed = Sync(transaction, families, targets, other);
    if (!changed.ok()) return changed.error();
    // In the transaction that records the new versions: were it another one, a refusal or a crash
    // in between would leave them recorded, and the next start content with rows that were never
    // judged.
    if (changed->empty()) return Revision();
    auto revision = Reclassify(transaction, *changed, families, targets);
    if (!revision.ok()) return revision.error();
    return Revision(*revision);
  });
}

std::vector<OtherDefinition> Schema::Differences(const core::Families& families,
                                                 const core::Targets& targets) {
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    std::vector<OtherDefinition> others;
    const auto in_force = transaction.exec(sql::known_targets);
    if (in_force.empty() || in_force[0][1].as<std::string>() != targets.Sha256())
      others.push_back({"targets.json", IsOlder(transaction, targets), in_force.empty()});
    const auto known = KnownFamilies(transaction);
    for (const auto& family : families.all()) {
      const auto found = known.find(family->name);
      if (found == known.end()) {
        others.push_back({family->name, false, true});
      } else if (found->second.sha256 != family->Sha256()) {
        others.push_back({family->name, IsOlder(transaction, *family, found->second.id), false});
      }
    }
    return others;
  });
}

std::vector<FamilyRecord> Schema::Families() {
  std::vector<FamilyRecord> families;
  for (const auto& row : Query(pool_, sql::list_families)) {
    families.push_back({row[0].as<std::int16_t>(), row[1].as<std::string>(), row[2].as<int>()});
  }
  return families;
}

std::string Schema::FamilyDefinition(std::int16_t family, int version) {
  const auto found = Query(pool_, sql::family_definition, family, version);
  return found.empty() ? std::string() : found[0][0].as<std::string>();
}

std::vector<int> Schema::VersionsOf(std::int16_t family) {
  std::vector<int> versions;
  for (const auto& row : Query(pool_, sql::list_family_versions, family))
    versions.push_back(row[0].as<int>());
  return versions;
}

}  // namespace tunehub::store
