#include "server/store/registry/api_keys.h"

#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {
namespace {

KeyRecord ReadKey(const pqxx::row& row) {
  const auto text = [&](pqxx::row::size_type i) { return row[i].as<std::string>(""); };
  return {row[0].as<std::int64_t>(), text(1), text(2), text(3), text(4), text(5), text(6), text(7)};
}

}  // namespace

KeyRecord KeyStore::Create(const std::string& sha256, const std::string& hint,
                           const std::string& scope, const std::optional<std::string>& expires) {
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    const KeyRecord key =
        ReadKey(transaction.exec_params1(sql::create_key, sha256, hint, scope, expires));
    transaction.exec_params0(sql::audit, key.id, "key create", scope);
    transaction.exec("NOTIFY tunehub");
    return key;
  });
}

KeyList KeyStore::List() {
  constexpr pqxx::row::size_type kEpoch = 8;
  KeyList list;
  for (const auto& row : Query(pool_, sql::list_keys)) {
    list.epoch = ReadPin(row[kEpoch], row[kEpoch + 1]);
    if (!row[0].is_null()) list.keys.push_back(ReadKey(row));
  }
  return list;
}

core::Pin KeyStore::ReadEpoch() {
  const auto epoch = Query(pool_, sql::read_key_epoch).at(0);
  return ReadPin(epoch[0], epoch[1]);
}

bool KeyStore::Revoke(std::int64_t id) {
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    const bool revoked = !transaction.exec_params(sql::revoke_key, id).empty();
    transaction.exec_params0(sql::audit, id, "key revoke", revoked ? "done" : "no such key");
    transaction.exec("NOTIFY tunehub");
    return revoked;
  });
}

void KeyStore::Touch(std::int64_t id) {
  Query(pool_, sql::touch_key, id);
}

}  // namespace tunehub::store
