#include "server/db/write_once.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "server/db/quota.h"
#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {

void Audit(pqxx::work& transaction, const Writer& writer, const std::string& action,
           const std::string& detail) {
  std::optional<std::string> owner, request;
  if (writer.api_key != 0) owner = writer.owner;
  if (!writer.request.empty()) request = writer.request;
  transaction.exec_params0(sql::audit, writer.api_key, action, detail, owner, request);
}

std::string PatchReceipt(const std::string& receipt, const std::string& patch) {
  auto json = core::SureJsonAs<nlohmann::ordered_json>(receipt);
  json.merge_patch(core::SureJsonAs<nlohmann::ordered_json>(patch));
  return json.dump();
}

std::string ReadReceipt(const pqxx::row& row) {
  auto receipt = row["receipt"].as<std::string>();
  if (row["repeated"].is_null()) return receipt;
  return PatchReceipt(row["repeated"].as<std::string>(), receipt);
}

core::Result<WriteOutcome> OpenBatch(pqxx::work& transaction, const std::string& kind,
                                     const WriteRequest& request, std::optional<std::int64_t> run) {
  const auto made =
      transaction.exec_params(sql::insert_batch, kind, request.api_key, request.idempotency_key,
                              request.digest, run, request.owner);
  WriteOutcome outcome;
  if (!made.empty()) {
    outcome.batch = made[0][0].as<std::int64_t>();
    return outcome;
  }
  const auto twin =
      transaction.exec_params1(sql::find_batch, request.owner, *request.idempotency_key);
  if (twin["digest"].as<std::string>() != request.digest) {
    return core::Error{"idempotency_key_reused",
                       fmt::format("the Idempotency-Key '{}' was already used for another request",
                                   *request.idempotency_key)};
  }
  outcome.replayed = true;
  outcome.receipt = ReadReceipt(twin);
  return outcome;
}

void FinishBatch(pqxx::work& transaction, const FinishedBatch& it) {
  transaction.exec_params0(sql::finish_batch, it.batch, it.receipt, it.run, it.repeats,
                           static_cast<std::int64_t>(it.stored), static_cast<std::int64_t>(it.won));
}

core::Result<WriteOutcome> WriteOnce(ConnectionPool& pool, const std::string& kind,
                                     const WriteRequest& request, std::size_t shapes,
                                     const std::function<std::string(pqxx::work&)>& write) {
  return InTransaction(pool, [&](pqxx::work& transaction) -> Ending<WriteOutcome> {
    auto opened = OpenBatch(transaction, kind, request, std::nullopt);
    if (!opened.ok()) return opened.error();
    if (opened->replayed) return Ending<WriteOutcome>::Dropped(*std::move(opened));
    opened->receipt = write(transaction);
    if (request.dry_run) return Ending<WriteOutcome>::Dropped(*std::move(opened));
    const Usage used = {.demand = static_cast<std::int64_t>(shapes), .bytes = request.bytes};
    if (auto within = Charge(transaction, {{&request, used}}); !within.ok()) return within.error();
    FinishBatch(transaction, {opened->batch, opened->receipt});
    return *std::move(opened);
  });
}

}  // namespace tunehub::server
