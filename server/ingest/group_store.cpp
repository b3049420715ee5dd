#include "server/ingest/group_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "server/ingest/competition_store.h"
#include "server/ingest/stage_store.h"
#include "sql.h"

namespace tunehub::server {
namespace {

using GroupAnswers = std::vector<GroupAnswer>;

// A batch that goes with the group.
struct Member {
  const BatchRequest* request;
  std::size_t place;  // among those that were to go
  BatchOutcome outcome;

  std::int16_t family() const { return request->families.begin()->first; }
  FamilyOutcome& counts() { return outcome.families[family()]; }
};
using Members = std::vector<Member>;

template <typename Describe>
std::string Each(const Members& members, const Describe& describe) {
  nlohmann::json list = nlohmann::json::array();
  for (const Member& member : members) list.push_back(describe(member));
  return list.dump();
}

std::string Asked(const std::vector<const BatchRequest*>& requests) {
  nlohmann::json list = nlohmann::json::array();
  for (const BatchRequest* request : requests) {
    const WriteRequest& write = request->write;
    nlohmann::json one = {{"place", list.size()},   {"api_key", write.api_key},
                          {"digest", write.digest}, {"run", *request->run},
                          {"owner", write.owner},   {"admin", write.admin},
                          {"idempotency_key", {}}};
    if (write.idempotency_key) one["idempotency_key"] = *write.idempotency_key;
    list.push_back(std::move(one));
  }
  return list.dump();
}

Members Open(pqxx::work& transaction, const std::vector<const BatchRequest*>& requests) {
  Members members;
  for (const auto& row : transaction.exec_params(sql::open_group, Asked(requests))) {
    Member member{requests[row[0].as<std::size_t>()], row[0].as<std::size_t>(), {}};
    member.outcome.batch = row[1].as<std::int64_t>();
    member.outcome.run = *member.request->run;
    member.counts().stored = member.request->rows->size();
    members.push_back(std::move(member));
  }
  return members;
}

StagedBatch Stage(pqxx::work& transaction, const Members& members,
                  const std::map<std::int16_t, int>& versions) {
  std::vector<StagedPart> parts;
  for (const Member& member : members)
    parts.push_back({*member.request->rows, member.outcome.batch << kBatchIdShift});
  return StagedBatch(transaction, parts, versions);
}

// What the batches of `changes` won and changed, added to what they have.
void Add(const BatchChanges& changes, Members& members) {
  for (Member& member : members) {
    const auto found = changes.find(member.outcome.batch);
    if (found == changes.end()) continue;
    for (const auto& [family, counts] : found->second) {
      member.outcome.families[family].won += counts.won;
      member.outcome.families[family].changed += counts.changed;
    }
  }
}

// New keys at once. True where all of the group's are new.
bool EnterNewKeys(pqxx::work& transaction, Members& members) {
  std::size_t keys = 0;
  for (const Member& member : members) {
    keys +=
        static_cast<std::size_t>(std::ranges::count_if(*member.request->rows, &StagedRow::best));
  }
  BatchChanges changes;
  for (const auto& row : transaction.exec_params(sql::insert_tuned, true)) {
    keys -= row[1].as<std::size_t>();
    const auto served = row[2].as<std::size_t>();
    changes[row[3].as<std::int64_t>()][row[0].as<std::int16_t>()] = {.changed = served,
                                                                     .won = served};
  }
  Add(changes, members);
  return keys == 0;
}

// As Compete (competition_store.h), for rows that object to nothing. False where two keys share a
// hash.
bool CompeteTogether(pqxx::work& transaction, StagedBatch& staged, Members& members) {
  const bool all_new = EnterNewKeys(transaction, members);
  const auto any = [&](bool (*holds)(const BatchRequest&)) {
    return std::ranges::any_of(members, [&](const Member& it) { return holds(*it.request); });
  };
  const bool plain = all_new && !any(HoldsTimesAgainstOthers);
  const bool choose = !plain || any(HasSeveralOfAKey);
  if (choose) transaction.exec(sql::choice_tables);
  const bool disputed =
      EnterCandidates(transaction, plain, Each(members, [](const Member& it) -> nlohmann::json {
                        return {{"batch", it.outcome.batch}, {"run", it.outcome.run}};
                      }));
  if (!choose) return true;
  staged.Analyse();
  if (!transaction.exec(sql::find_collision).empty()) return false;
  if (disputed) {
    const auto implausible = RebuildCandidates(transaction);
    for (Member& member : members) NoteOutOfLine(implausible, member.outcome);
  }
  transaction.exec(sql::touch_contested);
  const std::int64_t first = std::ranges::min(members, {}, [](const Member& it) {
                               return it.outcome.batch;
                             }).outcome.batch;
  Add(ChooseForEach(transaction, first, first << kBatchIdShift), members);
  return true;
}

void TakeRevisions(pqxx::work& transaction, Members& members) {
  const std::string changes = Each(members, [](const Member& it) -> nlohmann::json {
    return {{"batch", it.outcome.batch}, {"changed", it.outcome.families.begin()->second.changed}};
  });
  for (const auto& row :
       transaction.exec_params(sql::take_group_revisions, changes, members.front().family(),
                               members.front().request->cause)) {
    const auto of_batch = [&](const Member& it) {
      return it.outcome.batch == row[0].as<std::int64_t>();
    };
    std::ranges::find_if(members, of_batch)->outcome.revision = ReadPin(row[1], row[2]);
  }
}

void Finish(pqxx::work& transaction, Members& members) {
  for (Member& member : members) {
    member.outcome.receipt = member.request->render(member.outcome, *member.request->rows);
  }
  transaction.exec_params(sql::finish_group, Each(members, [](const Member& it) {
                            const WriteRequest& write = it.request->write;
                            nlohmann::json done = {{"batch", it.outcome.batch},
                                                   {"receipt", it.outcome.receipt},
                                                   {"api_key", write.api_key},
                                                   {"detail", Describe(*it.request, it.outcome)}};
                            if (write.api_key != 0) done["owner"] = write.owner;
                            if (!write.request.empty()) done["request"] = write.request;
                            return done;
                          }));
}

bool WriteMembers(pqxx::work& transaction, Members& members,
                  const std::map<std::int16_t, int>& versions) {
  StagedBatch staged = Stage(transaction, members, versions);
  const std::string rows = Each(members, [](const Member& it) -> nlohmann::json {
    return {
        {"batch", it.outcome.batch}, {"run", it.outcome.run}, {"rows", it.request->rows->size()}};
  });
  try {
    transaction.exec_params(sql::insert_group_measurements, rows);
  } catch (const pqxx::unique_violation&) {
    return false;  // a run has one of the rows already
  }
  if (!CompeteTogether(transaction, staged, members)) return false;
  transaction.exec_params(sql::count_group_rows, rows);
  std::size_t added = 0;
  for (const Member& member : members) added += member.request->rows->size();
  AnalyseGrown(transaction, added);
  TakeRevisions(transaction, members);
  Finish(transaction, members);
  NotifyChange(transaction);
  return true;
}

}  // namespace

Ending<GroupAnswers> WriteTogether(pqxx::work& transaction,
                                   const std::vector<const BatchRequest*>& requests) {
  GroupAnswers answers(requests.size());
  LockFamilies(transaction, *requests.front());
  const auto versions = FindVersions(transaction, *requests.front());
  if (!versions.ok()) return Ending<GroupAnswers>::Dropped(std::move(answers));
  Members members = Open(transaction, requests);
  if (members.empty() || !WriteMembers(transaction, members, *versions)) {
    return Ending<GroupAnswers>::Dropped(std::move(answers));
  }
  for (Member& member : members) answers[member.place] = std::move(member.outcome);
  return answers;
}

}  // namespace tunehub::server
