#include "server/keys/key_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/rfc3339.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "sql.h"

namespace tunehub::server {
namespace {

KeyLimits ParseLimits(const std::string& text) {
  const auto json = core::SureJson(text);
  KeyLimits limits;
  for (const KeyLimit& limit : kLimitLists) {
    if (json.contains(limit.name)) json.at(limit.name).get_to(limits.*limit.list);
  }
  return limits;
}

KeyRecord ReadKey(const pqxx::row& row) {
  const auto text = [&](const char* column) { return row[column].as<std::string>(""); };
  const auto time = [&](const char* column) { return ReadTime(row[column]); };
  return {.id = row["id"].as<std::int64_t>(),
          .sha256 = text("sha256"),
          .hint = text("hint"),
          .scope = text("scope"),
          .created = time("created"),
          .expires = time("expires"),
          .last_used = time("last_used"),
          .revoked = time("revoked"),
          .owner = text("owner"),
          .limits = ParseLimits(text("limits")),
          .successor = row["successor"].as<std::int64_t>(0)};
}

KeyList ReadList(const pqxx::result& rows) {
  KeyList list;
  for (const auto& row : rows) {
    list.epoch = ReadPin(row["epoch"], row["stamp"]);
    if (!row["id"].is_null()) list.keys.push_back(ReadKey(row));
  }
  return list;
}

// Commands change keys without an API key. Their row of the audit names the changed key as its
// author.
void AuditKey(pqxx::work& transaction, const Writer& by, const std::string& action,
              const KeyRecord& key) {
  std::string text = key.scope;
  if (key.owner != kDefaultOwner) text += " of " + key.owner;
  if (key.limits.any()) text += ", limited to " + DescribeLimits(key.limits);
  if (key.successor != 0) text += fmt::format(", replaced by key {}", key.successor);
  if (by.api_key == 0)
    Audit(transaction, {.api_key = key.id, .owner = key.owner}, action, text);
  else
    Audit(transaction, by, action, fmt::format("key {}: {}", key.id, text));
  transaction.exec("NOTIFY tunehub");
}

KeyRecord Store(pqxx::work& transaction, const KeyRecord& key) {
  std::optional<std::string> expires;
  if (!key.expires.empty()) expires = key.expires;
  return ReadKey(transaction.exec_params1(sql::create_key, key.sha256, key.hint, key.scope, expires,
                                          key.owner, LimitsJson(key.limits).dump()));
}

// True if the key may change keys, and will until somebody ends it.
bool RulesKeys(const KeyRecord& key) {
  return key.scope == "admin" && !key.limits.any() && key.revoked.empty() && !IsExpired(key) &&
         key.successor == 0;
}

// Returns the key that the transaction will end, in `grace_hours`. A command on the server may end
// the last admin key, because a command can make another.
core::Result<KeyRecord> KeyToEnd(pqxx::work& transaction, std::int64_t id, int grace_hours,
                                 const Writer& by) {
  transaction.exec(sql::lock_keys);
  const auto keys = ReadList(transaction.exec(sql::list_keys)).keys;
  const auto key = std::ranges::find(keys, id, &KeyRecord::id);
  if (key == keys.end()) return core::Error{"unknown_key", fmt::format("no key has the id {}", id)};
  if (!key->revoked.empty()) {
    return core::Error{
        "key_ended", fmt::format("key {} ({}...) was revoked at {}", id, key->hint, key->revoked)};
  }
  const bool others =
      std::ranges::any_of(keys, [&](const KeyRecord& it) { return it.id != id && RulesKeys(it); });
  if (by.api_key == 0 || grace_hours > 0 || !RulesKeys(*key) || others) return *key;
  return core::Error{
      "last_admin_key",
      fmt::format("key {} ({}...) is the last valid admin key without limits, so nobody could "
                  "change keys. Make another one first (POST /keys), or rotate this key with a "
                  "grace_hours of at least 1",
                  id, key->hint)};
}

KeyRecord End(pqxx::work& transaction, std::int64_t id, int grace_hours,
              std::optional<std::int64_t> successor) {
  return ReadKey(transaction.exec_params1(sql::end_key, id, grace_hours, successor));
}

}  // namespace

bool IsExpired(const KeyRecord& key) {
  // Compares times, because as text "00.5Z" would sort before "00Z".
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return !key.expires.empty() && core::Rfc3339Microseconds(key.expires).value_or(0) <=
                                     std::chrono::floor<std::chrono::microseconds>(now).count();
}

nlohmann::ordered_json LimitsJson(const KeyLimits& limits) {
  auto json = nlohmann::ordered_json::object();
  for (const KeyLimit& limit : kLimitLists) {
    if (!(limits.*limit.list).empty()) json[limit.name] = limits.*limit.list;
  }
  return json;
}

KeyRecord KeyStore::Create(const KeyRecord& key, const Writer& by) {
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    KeyRecord made = Store(transaction, key);
    AuditKey(transaction, by, "key create", made);
    return made;
  });
}

KeyList KeyStore::List() {
  return ReadList(Query(pool_, sql::list_keys));
}

core::Pin KeyStore::ReadEpoch() {
  const auto epoch = Query(pool_, sql::read_key_epoch).at(0);
  return ReadPin(epoch[0], epoch[1]);
}

core::Result<KeyRecord> KeyStore::Revoke(std::int64_t id, const Writer& by) {
  return InTransaction(pool_, [&](pqxx::work& transaction) -> Ending<KeyRecord> {
    const auto key = KeyToEnd(transaction, id, 0, by);
    if (!key.ok()) return key.error();
    KeyRecord ended = End(transaction, id, 0, std::nullopt);
    AuditKey(transaction, by, "key revoke", ended);
    return ended;
  });
}

core::Result<KeyRecord> KeyStore::Rotate(std::int64_t id, const KeyRecord& fresh, int grace_hours,
                                         const Writer& by) {
  return InTransaction(pool_, [&](pqxx::work& transaction) -> Ending<KeyRecord> {
    const auto old = KeyToEnd(transaction, id, grace_hours, by);
    if (!old.ok()) return old.error();
    if (old->successor != 0) {
      return core::Error{"key_replaced", fmt::format("key {0} was already replaced by key {1}; to "
                                                     "get another secret, rotate key {1}",
                                                     id, old->successor)};
    }
    if (IsExpired(*old)) {
      return core::Error{"key_ended", fmt::format("key {} ({}...) expired at {}; make a new key",
                                                  id, old->hint, old->expires)};
    }
    KeyRecord made = *old;
    made.sha256 = fresh.sha256;
    made.hint = fresh.hint;
    if (!fresh.expires.empty()) made.expires = fresh.expires;
    made = Store(transaction, made);
    AuditKey(transaction, by, "key rotate", End(transaction, id, grace_hours, made.id));
    return made;
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
