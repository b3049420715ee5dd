#include "server/ingest/definition_store.h"

#include <fmt/core.h>

#include <limits>
#include <map>

#include "core/base/encoding.h"
#include "core/row/known_kernel.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/ingest/competition_store.h"
#include "server/ingest/evidence_rules.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// Judges all measurements of a family again. Reads each line with the header with which it was
// stored. A line that is not a single row stays unchanged.
class Rejudge {
 public:
  Rejudge(pqxx::work& transaction, const core::Families& families, const core::Family& family,
          const core::Targets& targets, std::int16_t id)
      : transaction_(transaction),
        family_(family),
        targets_(targets),
        id_(id),
        kernels_(families, family) {}

  // Errors: stored_line_unreadable, keys_would_change, those of the line's family file.
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
      return core::Error{"keys_would_change",
                         fmt::format("{}: the new family file gives another shape key to '{}'",
                                     family_.name, line)};
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

struct ChangedFamily {
  const core::Family& family;
  std::int16_t id;
};

// Judges every measurement of these families again, in one revision, and returns the revision's
// number. Errors: keys_would_change, stored_line_unreadable.
core::Result<std::int64_t> Reclassify(pqxx::work& transaction,
                                      const std::vector<ChangedFamily>& changed,
                                      const core::Families& current, const core::Targets& targets) {
  LockRegistry(transaction);
  const auto batch = OpenBatch(transaction, "reclassify", {{}, {}, "reclassify"}, {})->batch;
  transaction.exec(sql::judge_tables);
  transaction.exec(sql::choice_tables);
  BatchChanges changes = {{batch, {}}};
  FamilyOutcomes& families = changes[batch];
  std::string cause = "definitions of";
  for (const auto& [family, id] : changed) {
    const auto status = Rejudge(transaction, current, family, targets, id).Run();
    if (!status.ok()) return status.error();
    families[id];
    cause += " " + family.name;
  }
  transaction.exec(sql::rebuild_candidates);
  const auto chosen =
      ChooseForTouched(transaction, batch, std::numeric_limits<std::int64_t>::max());
  for (const auto& [id, outcome] : chosen.at(batch)) families[id].changed = outcome.changed;
  // A changed definition gets a revision even if no row changed: columns or bounds may have
  // changed.
  const auto revisions = TakeRevisions(transaction, changes, "reclassify", cause, true);
  FinishBatch(transaction, {batch, "{}"});
  Audit(transaction, {}, "reclassify", cause);
  NotifyChange(transaction);
  return revisions.at(batch).number;
}

// A family file or targets.json in the database. The database keeps all versions, because the hub
// renders an old revision with its own columns.
struct KnownDefinition {
  std::int16_t id = 0;  // the family's id; 0 means targets.json
  int version = 0;
  std::string sha256;
};
using KnownDefinitions = std::map<std::string, KnownDefinition>;

constexpr const char* kTargetsFile = "targets.json";

KnownDefinitions ReadKnown(pqxx::work& transaction) {
  KnownDefinitions known;
  for (const auto& row : transaction.exec(sql::known_definitions)) {
    known[row[1].as<std::string>()] = {row[0].as<std::int16_t>(), row[2].as<int>(),
                                       row[3].as<std::string>()};
  }
  return known;
}

// True if the file was in force before. A server with this file then waits for the end of a rolling
// upgrade.
bool IsOlder(pqxx::work& transaction, std::int16_t id, const std::string& sha256) {
  return transaction.exec_params1(sql::was_in_force, id, sha256)[0].as<bool>();
}

// Returns the file's new version. Returns nothing if the file is already in force, or is an
// accepted older file. Errors: definitions_changed, with the text `changed`.
core::Result<std::optional<int>> NextVersion(pqxx::work& transaction, const KnownDefinition& known,
                                             const std::string& sha256, OtherFile other,
                                             const std::string& changed) {
  if (known.sha256 == sha256) return std::optional<int>();
  if (other == OtherFile::kOlderServes && IsOlder(transaction, known.id, sha256))
    return std::optional<int>();
  if (known.version > 0 && other != OtherFile::kTaken)
    return core::Error{"definitions_changed", changed + "; run 'tunehub-server migrate'"};
  return std::optional(known.version + 1);
}

// Returns true if these targets replace earlier targets. Errors: definitions_changed.
core::Result<bool> SyncTargets(pqxx::work& transaction, const core::Targets& targets,
                               const KnownDefinition& known, OtherFile other) {
  const auto version =
      NextVersion(transaction, known, targets.Sha256(), other,
                  "targets.json or devices.json changed after the hub judged the tables");
  if (!version.ok()) return version.error();
  if (!*version) return false;
  transaction.exec_params0(
      "INSERT INTO targets_version (version, sha256, definition) VALUES ($1, $2, $3)", **version,
      targets.Sha256(), targets.Definition());
  return known.version > 0;
}

// Returns the families to judge again. A new targets.json may change the standings of all families.
// Errors: definitions_changed.
core::Result<std::vector<ChangedFamily>> Sync(pqxx::work& transaction,
                                              const core::Families& families,
                                              const core::Targets& targets, OtherFile other) {
  transaction.exec("SELECT pg_advisory_xact_lock(7410)");
  KnownDefinitions all_known = ReadKnown(transaction);
  const auto all = SyncTargets(transaction, targets, all_known[kTargetsFile], other);
  if (!all.ok()) return all.error();
  std::vector<ChangedFamily> changed;
  for (const auto& family : families.all()) {
    KnownDefinition& known = all_known[family->name];
    const bool is_new = known.version == 0;
    if (is_new) {
      known.id =
          transaction
              .exec_params1("INSERT INTO family (name) VALUES ($1) RETURNING id", family->name)[0]
              .as<std::int16_t>();
    }
    const auto version = NextVersion(
        transaction, known, family->Sha256(), other,
        fmt::format("the family file of {} changed after version {}", family->name, known.version));
    if (!version.ok()) return version.error();
    if (*version) {
      transaction.exec_params0(sql::insert_family_version, known.id, **version, family->Sha256(),
                               family->source);
    }
    if (!is_new && (*version || *all)) changed.push_back({*family, known.id});
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
    // One transaction records the new versions and also judges the rows. After a crash between two
    // transactions, the next start would take old rows for judged rows.
    if (changed->empty()) return Revision();
    auto revision = Reclassify(transaction, *changed, families, targets);
    if (!revision.ok()) return revision.error();
    return Revision(*revision);
  });
}

void DefinitionStore::ApplyConfirmFactor(int factor) {
  static_cast<void>(InTransaction(pool_, [&](pqxx::work& transaction) -> Ending<bool> {
    const auto now = transaction.exec1("SELECT confirm_factor FROM registry")[0].as<int>();
    if (now == factor) return false;
    LockRegistry(transaction);
    transaction.exec_params0("UPDATE registry SET confirm_factor = $1", factor);
    const std::string cause = fmt::format("confirm_factor {}", factor);
    transaction.exec(sql::choice_tables);
    if (transaction.exec(sql::touch_shared).affected_rows() == 0) return true;
    const auto batch = OpenBatch(transaction, "reclassify", {{}, {}, cause}, {})->batch;
    transaction.exec(sql::rebuild_candidates);
    const auto changes =
        ChooseForTouched(transaction, batch, std::numeric_limits<std::int64_t>::max());
    TakeRevisions(transaction, changes, "reclassify", cause);
    FinishBatch(transaction, {batch, "{}"});
    Audit(transaction, {}, "reclassify", cause);
    NotifyChange(transaction);
    return true;
  }));
}

std::vector<OtherDefinition> DefinitionStore::Differences(const core::Families& families,
                                                          const core::Targets& targets) {
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    std::vector<OtherDefinition> others;
    KnownDefinitions all_known = ReadKnown(transaction);
    const auto compare = [&](const std::string& name, const std::string& sha256) {
      const KnownDefinition& known = all_known[name];
      if (known.sha256 == sha256) return;
      const bool missing = known.version == 0;
      others.push_back({name, !missing && IsOlder(transaction, known.id, sha256), missing});
    };
    compare(kTargetsFile, targets.Sha256());
    for (const auto& family : families.all()) compare(family->name, family->Sha256());
    return others;
  });
}

}  // namespace tunehub::server
