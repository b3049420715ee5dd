#include "server/store/connection/write_once.h"

#include <fmt/core.h>

#include "server/store/connection/receipt_patch.h"
#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {
namespace {

Ending<WriteOutcome> Write(pqxx::work& transaction, const std::string& kind,
                           const WriteRequest& request,
                           const std::function<std::string(pqxx::work&)>& write) {
  auto opened = OpenBatch(transaction, kind, request, std::nullopt);
  if (!opened.ok()) return opened.error();
  if (opened->replayed) return Ending<WriteOutcome>::Dropped(*std::move(opened));
  opened->receipt = write(transaction);
  if (request.dry_run) return Ending<WriteOutcome>::Dropped(*std::move(opened));
  transaction.exec_params(sql::finish_batch, opened->batch, opened->receipt,
                          std::optional<std::int64_t>());
  return *std::move(opened);
}

}  // namespace

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
                       fmt::format("the Idempotency-Key '{}' was used for another request",
                                   *request.idempotency_key)};
  }
  outcome.replayed = true;
  outcome.receipt = ReadReceipt(twin, "");
  return outcome;
}

core::Result<WriteOutcome> WriteOnce(ConnectionPool& pool, const std::string& kind,
                                     const WriteRequest& request,
                                     const std::function<std::string(pqxx::work&)>& write) {
  return InTransaction(
      pool, [&](pqxx::work& transaction) { return Write(transaction, kind, request, write); });
}

}  // namespace tunehub::store
