#include "server/store/connection/write_once.h"

#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {
namespace {

Ending<WriteOutcome> Write(pqxx::work& transaction, const WriteStamp& stamp,
                           const std::function<std::string(pqxx::work&)>& write) {
  auto opened = OpenBatch(transaction, stamp, std::nullopt);
  if (!opened.ok()) return opened.error();
  if (opened->replayed) return Ending<WriteOutcome>::Dropped(*std::move(opened));
  opened->receipt = write(transaction);
  if (stamp.dry_run) return Ending<WriteOutcome>::Dropped(*std::move(opened));
  transaction.exec_params(sql::finish_batch, opened->batch, opened->receipt,
                          std::optional<std::int64_t>());
  return *std::move(opened);
}

}  // namespace

core::Result<WriteOutcome> OpenBatch(pqxx::work& transaction, const WriteStamp& stamp,
                                     std::optional<std::int64_t> run) {
  const auto made = transaction.exec_params(sql::insert_batch, stamp.kind, stamp.api_key,
                                            stamp.idempotency_key, stamp.digest, run);
  WriteOutcome outcome;
  if (!made.empty()) {
    outcome.batch = made[0][0].as<std::int64_t>();
    return outcome;
  }
  const auto twin =
      transaction.exec_params1(sql::find_batch, stamp.api_key, *stamp.idempotency_key);
  if (twin[0].as<std::string>() != stamp.digest) {
    return core::Error{"idempotency_key_reused", "the Idempotency-Key '" + *stamp.idempotency_key +
                                                     "' was used for another request"};
  }
  outcome.replayed = true;
  outcome.receipt = twin[1].as<std::string>();
  return outcome;
}

core::Result<WriteOutcome> WriteOnce(ConnectionPool& pool, const WriteStamp& stamp,
                                     const std::function<std::string(pqxx::work&)>& write) {
  return InTransaction(pool,
                       [&](pqxx::work& transaction) { return Write(transaction, stamp, write); });
}

}  // namespace tunehub::store
