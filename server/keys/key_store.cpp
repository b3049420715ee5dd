#include "server/keys/key_store.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// A key's limits as JSON for the database.
std::string LimitsText(const KeyLimits& limits) {
  auto json = nlohmann::json::object();
  for (const KeyLimit& limit : kLimitLists) {
    if (!(limits.*limit.list).empty()) json[limit.name] = limits.*limit.list;
  }
  return json.dump();
}

KeyLimits ParseLimits(const std::string& text) {
  const auto json = core::SureJson(text);
  KeyLimits limits;
  for (const KeyLimit& limit : kLimitLists) {
    if (json.contains(limit.name)) json.at(limit.name).get_to(limits.*limit.list);
  }
  return limits;
}

KeyRecord ReadKey(const pqxx::row& row) {
  const auto text = [&](pqxx::row::size_type i) { return row[i].as<std::string>(""); };
  return {row[0].as<std::int64_t>(),
          text(1),
          text(2),
          text(3),
          text(4),
          text(5),
          text(6),
          text(7),
          text(8),
          ParseLimits(text(9))};
}

// Commands make and revoke keys without an API key. So this row of the audit names the changed key.
void AuditKey(pqxx::work& transaction, const std::string& action, const KeyRecord& key) {
  std::string text = key.scope;
  if (key.owner != kDefaultOwner) text += " of " + key.owner;
  if (key.limits.any()) text += ", limited to " + DescribeLimits(key.limits);
  Audit(transaction, {.api_key = key.id, .owner = key.owner}, action, text);
  transaction.exec("NOTIFY tunehub");
}

}  // namespace

KeyRecord KeyStore::Create(const KeyRecord& key) {
  std::optional<std::string> expires;
  if (!key.expires.empty()) expires = key.expires;
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    KeyRecord made =
        ReadKey(transaction.exec_params1(sql::create_key, key.sha256, key.hint, key.scope, expires,
                                         key.owner, LimitsText(key.limits)));
    AuditKey(transaction, "key create", made);
    return made;
  });
}

KeyList KeyStore::List() {
  constexpr pqxx::row::size_type kEpoch = 10;
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
    const auto revoked = transaction.exec_params(sql::revoke_key, id);
    if (revoked.empty()) return false;
    AuditKey(transaction, "key revoke", ReadKey(revoked[0]));
    return true;
  });
}

void KeyStore::Touch(std::int64_t id) {
  Query(pool_, sql::touch_key, id);
}

std::vector<AuditRecord> ListAudit(ConnectionPool& pool, std::int64_t before_id,
                                   std::size_t limit) {
  std::vector<AuditRecord> records;
  for (const auto& row :
       Query(pool, sql::list_audit, before_id, static_cast<std::int64_t>(limit))) {
    const auto text = [&](const char* column) { return row[column].as<std::string>(""); };
    records.push_back({row["id"].as<std::int64_t>(), row["api_key"].as<std::int64_t>(0),
                       ReadTime(row["at"]), text("owner"), text("action"), text("detail"),
                       text("request")});
  }
  return records;
}

}  // namespace tunehub::server
