#include "server/ingest/group_store.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "server/ingest/competition_store.h"
#include "server/ingest/run_store.h"
#include "server/ingest/stage_store.h"
#include "sql.h"

namespace tunehub::server {
namespace {

using GroupAnswers = std::vector<GroupAnswer>;

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
    const auto place = row[0].as<std::size_t>();
    members.push_back({requests[place], place});
    Member& member = members.back();
    member.outcome.batch = row[1].as<std::int64_t>();
    member.outcome.run = *member.request->run;
    member.outcome.families[member.request->families.begin()->first].stored =
        member.request->rows->size();
  }
  return members;
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
  std::vector<StagedPart> parts;
  std::vector<RunCounts> counts;
  std::size_t added = 0;
  for (const Member& it : members) {
    const std::size_t rows = it.request->rows->size();
    parts.push_back({*it.request->rows, it.outcome.first_id()});
    counts.push_back({it.outcome.run, rows, rows});
    added += rows;
  }
  StagedBatch staged(transaction, parts, versions);
  try {
    InsertMeasurements(transaction, members);
  } catch (const pqxx::unique_violation&) {
    return false;  // a run has one of the rows already
  }
  if (!Compete(transaction, staged, members, true).ok()) return false;
  CountRows(transaction, counts);
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
