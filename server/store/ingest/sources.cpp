#include "server/store/ingest/sources.h"

#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {
namespace {

// Stands for an import that there is none of.
constexpr std::int64_t kNoImport = 0;

// The source as it was before that import.
Source ImportBefore(pqxx::work& transaction, const std::string& source, std::int64_t run) {
  const auto found = transaction.exec_params1(sql::find_import_before, source, run);
  return {found[0].as<int>(), ReadOptional<std::int64_t>(found[1])};
}

}  // namespace

Source OpenSource(pqxx::work& transaction, const std::string& name, const std::string& owner,
                  bool upstream) {
  const auto row = transaction.exec_params1(sql::open_source, name, owner, upstream);
  return {row[0].as<int>(), ReadOptional<std::int64_t>(row[1]), row[2].as<std::string>()};
}

Known TakeKnown(pqxx::work& transaction, const Source& source, std::int64_t run) {
  Known known;
  transaction.exec_params0(sql::find_known, source.id, run);
  transaction.exec("ANALYZE known");
  transaction.exec_params0(sql::close_missing, source.id, run);
  for (const auto& row : transaction.exec_params(sql::reopen_known, run)) {
    known.back.push_back(row[0].as<std::int64_t>());
  }
  const auto counts = transaction.exec1(sql::delete_known);
  known.rows = counts[0].as<std::size_t>();
  known.competing = counts[1].as<std::size_t>();
  return known;
}

pqxx::result TargetsOfRevert(pqxx::work& transaction, const std::string& source, std::int64_t run) {
  const Source before = ImportBefore(transaction, source, run);
  return transaction.exec_params(sql::targets_moved, before.id, before.head.value_or(kNoImport),
                                 run);
}

void RevertImport(pqxx::work& transaction, const std::string& source, std::int64_t run) {
  TouchMoved(transaction, ImportBefore(transaction, source, run), run);
  transaction.exec_params0(sql::revert_run, run);
  MoveHead(transaction, source);
}

void MoveHead(pqxx::work& transaction, const std::string& source) {
  transaction.exec_params0(sql::move_head, source);
}

void TouchMoved(pqxx::work& transaction, const Source& source, std::int64_t run) {
  transaction.exec_params0(sql::touch_moved, source.id, source.head.value_or(kNoImport), run);
}

}  // namespace tunehub::store
