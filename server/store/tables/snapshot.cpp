// Reads of what is served now, each in one snapshot of the database.
#include "server/store/connection/transaction.h"
#include "server/store/tables/revisions.h"
#include "sql.h"

namespace tunehub::store {
namespace {

using Snapshot = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

TunedRecord ReadTuned(const pqxx::row& row) {
  TunedRecord tuned;
  tuned.key = core::ParseUuid(row[0].as<std::string>());
  tuned.order = ReadBytes(row[1]);
  tuned.provider = static_cast<registry::Provider>(row[4].as<int>());
  tuned.served = !row[7].is_null();
  if (!tuned.served) return tuned;
  tuned.gfx = row[2].as<std::string>();
  tuned.cu_num = row[3].as<int>();
  tuned.standing = static_cast<core::Standing>(row[5].as<int>());
  tuned.line = row[7].as<std::string>();
  tuned.us = ReadDouble(row[8]);
  tuned.family_version = row[9].as<int>();
  tuned.baseline = row[10].as<bool>();
  tuned.trusted = row[11].as<bool>();
  return tuned;
}

Heads ReadHeadsIn(pqxx::transaction_base& transaction, std::int64_t known) {
  Heads heads;
  const auto registry = transaction.exec_params1(sql::read_heads, known);
  heads.revision = ReadPin(registry["revision"], registry["token"]);
  heads.writes = ReadPin(registry["writes"], registry["stamp"]);
  heads.origin.token = ReadToken(registry["origin"]);
  heads.known = ReadToken(registry["known"]);
  for (const auto& row : transaction.exec(sql::read_family_heads)) {
    heads.families[row[0].as<std::int16_t>()] = ReadPin(row[1], row[2]);
  }
  return heads;
}

SnapshotDelta ReadDeltaIn(pqxx::transaction_base& transaction, const Heads& heads,
                          std::int16_t family, std::int64_t after_change) {
  SnapshotDelta delta;
  delta.family_revision = heads.Of(family);
  delta.change = after_change;
  for (const auto& row : transaction.exec("SELECT id, version FROM family")) {
    if (row[0].as<std::int16_t>() == family) delta.family_version = row[1].as<int>();
  }
  const auto rows = after_change == 0
                        ? transaction.exec_params(sql::read_tuned, family)
                        : transaction.exec_params(sql::read_changed, family, after_change);
  delta.rows.reserve(rows.size());
  for (const auto& row : rows) {
    delta.change = std::max(delta.change, row[6].as<std::int64_t>());
    delta.rows.push_back(ReadTuned(row));
  }
  return delta;
}

}  // namespace

void RevisionStore::AtOneMoment(
    std::int64_t known,
    const std::function<void(const Heads& heads, const ReadDelta& read)>& visit) {
  pool_.With([&](pqxx::connection& connection) {
    Snapshot transaction(connection);
    const Heads heads = ReadHeadsIn(transaction, known);
    visit(heads, [&](std::int16_t family, std::int64_t after_change) {
      return ReadDeltaIn(transaction, heads, family, after_change);
    });
  });
}

Heads RevisionStore::ReadHeads(std::int64_t known) {
  return pool_.With([&](pqxx::connection& connection) {
    Snapshot transaction(connection);
    return ReadHeadsIn(transaction, known);
  });
}

}  // namespace tunehub::store
