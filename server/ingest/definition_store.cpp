#include "server/ingest/definition_store.h"

#include <fmt/core.h>

#include <limits>
#include <map>
#include <optional>

#include "core/base/hex.h"
#include "core/row/known_kernel.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "server/db/schema.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/ingest/batch_rules.h"
#include "server/ingest/competition_store.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// Reads one stored line by the header it was stored under. Lines that fit no header stay as they
// are.
class Rejudge {
 public:
  Rejudge(pqxx::work& transaction, const core::Families& families, const core::Family& family,
          const core::Targets& targets, std::int16_t id)
      : transaction_(transaction),
        family_(family),
        targets_(targets),
        id_(id),
        kernels_(families, family) {}

  // Errors: stored_line_unreadable, keys_would_change, those of the family file that a line has.
  core::Status Run() {
    std::vector<Change> changes;
    Keys keys;
    for (const auto& row : transaction_.exec_params(sql::read_family_measurements, id_)) {
      if (auto status = Judge(row, changes, keys); !status.ok()) return status;
    }
    pqxx::stream_to judged(transaction_, "judged",
                           std::vector<std::string>{"id", "key", "standing", "reason"});
    for (const Change& it : changes)
      judged << std::make_tuple(it.id, it.key, it.standing, it.reason);
    judged.complete();
    pqxx::stream_to reordered(transaction_, "reordered",
                              std::vector<std::string>{"key", "ord", "relative"});
    for (const auto& [key, now] : keys) {
      reordered << std::make_tuple(key, "\\x" + core::Hex(now.order), now.relative);
    }
    reordered.complete();
    transaction_.exec(sql::apply_judged);
    transaction_.exec(sql::apply_order);
    transaction_.exec(sql::touch_judged);
    return core::Ok();
  }

 private:
  struct Change {
    std::int64_t id;
    std::string key;
    int standing;
    std::string reason;
  };

  struct Key {
    std::string order;
    bool relative = false;
  };
  using Keys = std::map<std::string, Key>;

  core::Result<std::string> HeaderOf(int version) {
    std::string& header = headers_[version];
    if (header.empty()) {
      const auto text =
          transaction_.exec_params1(sql::family_definition, id_, version)[0].as<std::string>();
      const auto parsed = core::ParseFamily(family_.name, text);
      if (!parsed.ok()) return parsed.error();
      header = parsed->Header(true);
    }
    return header;
  }

  core::Status Judge(const pqxx::row& row, std::vector<Change>& changes, Keys& keys) {
    const auto line = row[2].as<std::string>();
    const auto header = HeaderOf(row[3].as<int>());
    if (!header.ok()) return header.error();
    const bool imported = row[7].as<bool>(), upstream = imported && row[8].as<bool>();
    const auto of_run = ReadOptional<double>(row[6]);
    const double limit = imported ? core::ImportErrorLimit(family_, of_run, upstream)
                                  : core::ResultsErrorLimit(family_, of_run);
    auto read =
        core::ReadTunedTable(family_, targets_, fmt::format("{}\n{}\n", *header, line),
                             {.error_limit = limit, .upstream = upstream, .warnings = false});
    if (!read.ok()) {
      return core::Error{"stored_line_unreadable",
                         fmt::format("{}: the new family file cannot read a stored line: {}",
                                     family_.name, read.error().detail)};
    }
    if (read->rows.size() != 1) return core::Ok();
    core::Row& now = read->rows[0];
    JudgeEvidence(row[9].as<std::string>(), row[11].as<bool>(), now);
    if (row[10].as<bool>() && core::Competes(now.standing)) {
      std::string scratch;
      core::Demote(kernels_.Of(core::SplitLine(now.line, scratch)), now);
    }
    const auto key = row[1].as<std::string>();
    if (now.key.Uuid() != key) {
      return core::Error{
          "keys_would_change",
          fmt::format("{}: the new family file gives another key to '{}'", family_.name, line)};
    }
    keys[key] = {now.order, now.relative};
    const int standing = static_cast<int>(now.standing);
    if (standing != row[4].as<int>() || now.reason != row[5].as<std::string>()) {
      changes.push_back({row[0].as<std::int64_t>(), key, standing, now.reason});
    }
    return core::Ok();
  }

  pqxx::work& transaction_;
  const core::Family& family_;
  const core::Targets& targets_;
  const std::int16_t id_;
  core::KernelJudge kernels_;
  std::map<int, std::string> headers_;
};

// Every measurement of the named families, in one revision, whose number it answers; `current` is
// recorded as the version in force. Errors: keys_would_change, stored_line_unreadable.
core::Result<std::int64_t> Reclassify(pqxx::work& transaction,
                                      const std::vector<std::string>& names,
                                      const core::Families& current, const core::Targets& targets) {
  transaction.exec(sql::lock_registry);
  const auto batch = transaction
                         .exec_params1(sql::insert_batch, "reclassify", std::int64_t{0},
                                       std::optional<std::string>(), "reclassify",
                                       std::optional<std::int64_t>(), kDefaultOwner)[0]
                         .as<std::int64_t>();
  transaction.exec(sql::judge_tables);
  transaction.exec(sql::choice_tables);
  BatchChanges changes = {{batch, {}}};
  FamilyOutcomes& families = changes[batch];
  std::string cause = "definitions of";
  for (const std::string& name : names) {
    const auto id = transaction.exec_params1("SELECT id FROM family WHERE name = $1", name)[0]
                        .as<std::int16_t>();
    const auto status = Rejudge(transaction, current, *current.Find(name), targets, id).Run();
    if (!status.ok()) return status.error();
    families[id];
    cause += " " + name;
  }
  transaction.exec(sql::rebuild_candidates);
  const auto chosen =
      ChooseForTouched(transaction, batch, std::numeric_limits<std::int64_t>::max());
  for (const auto& [id, outcome] : chosen.at(batch)) families[id].changed = outcome.changed;
  // Of definitions also where no row changed: the columns, or the bound of a later judgement, may
  // have.
  const auto revisions = TakeRevisions(transaction, changes, "reclassify", cause, true);
  transaction.exec_params0(sql::finish_batch, batch, "{}", std::optional<std::int64_t>());
  Audit(transaction, {}, "reclassify", cause);
  NotifyChange(transaction);
  return revisions.at(batch).number;
}

// The family files and targets.json as the database knows them: versioned, because an old revision
// is rendered by the columns it had.
struct KnownFamily {
  std::int16_t id = 0;
  int version = 0;
  std::string sha256;
};

std::map<std::string, KnownFamily> KnownFamilies(pqxx::work& transaction) {
  std::map<std::string, KnownFamily> known;
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
  std::map<std::string, KnownFamily> known = KnownFamilies(transaction);
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

core::Result<std::optional<std::int64_t>> DefinitionStore::SyncDefinitions(
    const core::Families& families, const core::Targets& targets, OtherFile other) {
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

std::vector<OtherDefinition> DefinitionStore::Differences(const core::Families& families,
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

}  // namespace tunehub::server
