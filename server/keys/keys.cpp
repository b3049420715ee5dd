#include "server/keys/keys.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "server/db/schema.h"

namespace tunehub::server {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPrefix = "thub_";
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";  // RFC 4648 base32
constexpr std::size_t kSecretBytes = 20;                                    // 160 bits
constexpr std::size_t kSecretChars = 32;
constexpr std::chrono::seconds kNoteEvery{10};  // touch_key.sql writes once a minute
// kPoll: the longest life of a revoked key if no notification arrives. kLeastPause: the shortest
// time between two reads of the epoch, even if many requests have unknown keys.
constexpr std::chrono::milliseconds kPoll{1'000};
constexpr std::chrono::milliseconds kLeastPause{25};
constexpr std::chrono::milliseconds kRetryPause{250};  // while the database cannot be reached
constexpr std::size_t kHintChars = 9;                  // "thub_" and four more
constexpr std::array<std::string_view, 4> kScopes = {"read", "submit", "claim", "admin"};

std::string Base32(std::string_view bytes) {
  std::string out;
  unsigned buffer = 0, bits = 0;
  for (char c : bytes) {
    buffer = (buffer << 8) | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 5; bits -= 5) out.push_back(kAlphabet[(buffer >> (bits - 5)) & 31]);
  }
  return out;
}

bool WellFormed(std::string_view secret) {
  if (!secret.starts_with(kPrefix) || secret.size() != kPrefix.size() + kSecretChars) return false;
  secret.remove_prefix(kPrefix.size());
  return secret.find_first_not_of(kAlphabet) == std::string_view::npos;
}

// True if `key_scope` includes `scope`. An agent's scope, claim, includes submit and read.
bool Includes(std::string_view key_scope, std::string_view scope) {
  if (key_scope == scope || key_scope == "admin" || scope == kAnyScope) return true;
  return key_scope == "claim" && (scope == "submit" || scope == "read");
}

KeyVerdict Judge(const KeyRecord& key, std::string_view scope) {
  if (!key.revoked.empty()) return KeyVerdict::kRevoked;
  if (IsExpired(key)) return KeyVerdict::kExpired;
  if (!Includes(key.scope, scope)) return KeyVerdict::kForbidden;
  return KeyVerdict::kGranted;
}

Writer HolderOfKey(const KeyRecord& key) {
  Writer holder;
  holder.api_key = key.id;
  holder.owner = key.owner;
  holder.admin = key.scope == "admin";
  if (key.limits.any()) holder.limits = std::make_shared<const KeyLimits>(key.limits);
  return holder;
}

// PostgreSQL would accept more, such as 'infinity' and 'yesterday'.
core::Status CheckExpires(const std::optional<std::string>& expires) {
  if (!expires || (core::IsRfc3339(*expires) && !IsExpired({.expires = *expires})))
    return core::Ok();
  const std::string midnight = *expires + "T00:00:00Z";
  if (core::IsRfc3339(midnight) && !IsExpired({.expires = midnight})) return core::Ok();
  const bool past = core::IsRfc3339(*expires) || core::IsRfc3339(midnight);
  return core::Error{"bad_expires",
                     past ? fmt::format("expires: '{}' is in the past; it is now {}", *expires,
                                        core::UtcText(std::chrono::system_clock::now()))
                          : fmt::format("expires: '{}': expected a time, such as 2099-12-31 or "
                                        "2099-12-31T12:00:00Z",
                                        core::Excerpt(*expires))};
}

// A new secret for a key with this record.
NewKey WithSecret(KeyRecord record) {
  NewKey key = {std::string(kPrefix) + Base32(core::RandomBytes(kSecretBytes)), std::move(record)};
  key.record.sha256 = core::Sha256Hex(key.secret);
  key.record.hint = key.secret.substr(0, kHintChars);
  return key;
}

constexpr std::size_t kMaxOwnerBytes = 64;
constexpr int kMostCus = 4096;  // equals core::kMaxCuNum
constexpr std::string_view kOwnerChars =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";

core::Status CheckFamilies(ConnectionPool& pool, const std::vector<std::string>& families) {
  if (families.empty()) return core::Ok();
  const auto known = core::Mapped(Schema(pool).Families(), [](const auto& it) { return it.name; });
  for (const std::string& family : families) {
    if (std::find(known.begin(), known.end(), family) != known.end()) continue;
    return core::Error{"unknown_family",
                       fmt::format("families: unknown family '{}'; known families: {}",
                                   core::Excerpt(family), fmt::join(known, ", "))};
  }
  return core::Ok();
}

bool IsTarget(std::string_view text) {
  const std::string_view gfx = text.substr(0, text.find(':'));
  const auto canonical = core::CanonicalGfx(gfx);
  if (!canonical || *canonical != gfx) return false;
  if (gfx.size() == text.size()) return true;
  const std::string_view cus = text.substr(gfx.size() + 1);
  const auto count = core::NumberFrom<int>(cus);
  return count && *count > 0 && *count <= kMostCus && cus.front() != '0';
}

// Checks the owner and the limits of a new key.
core::Status CheckRights(ConnectionPool& pool, const KeyRights& rights) {
  if (auto owner = CheckOwnerName(rights.owner); !owner.ok()) return owner;
  if (auto known = CheckFamilies(pool, rights.limits.families); !known.ok()) return known;
  for (const std::string& target : rights.limits.targets) {
    if (IsTarget(target)) continue;
    return core::Error{"bad_target",
                       fmt::format("targets: '{}': expected a target, such as gfx942:304 or gfx942",
                                   core::Excerpt(target))};
  }
  for (const std::string& source : rights.limits.sources) {
    if (IsSourceName(source)) continue;
    return core::Error{"bad_source", fmt::format("sources: '{}' is not allowed; expected {}",
                                                 core::Excerpt(source), kSourceRule)};
  }
  return core::Ok();
}

}  // namespace

core::Status CheckOwnerName(const std::string& owner) {
  if (!owner.empty() && owner.size() <= kMaxOwnerBytes &&
      owner.find_first_not_of(kOwnerChars) == std::string::npos)
    return core::Ok();
  return core::Error{
      "bad_owner",
      fmt::format("owner: '{}' is not allowed; expected 1 to {} of A-Z a-z 0-9 . _ @ -",
                  core::Excerpt(owner), kMaxOwnerBytes)};
}

core::Result<NewKey> Keys::Create(const std::string& scope,
                                  const std::optional<std::string>& expires,
                                  const KeyRights& rights, const Writer& by) {
  if (std::find(kScopes.begin(), kScopes.end(), scope) == kScopes.end()) {
    return core::Error{
        "bad_scope",
        fmt::format("scope: '{}': expected read, submit, claim or admin", core::Excerpt(scope))};
  }
  if (const auto status = CheckExpires(expires); !status.ok()) return status.error();
  if (const auto status = CheckRights(pool_, rights); !status.ok()) return status.error();
  NewKey key = WithSecret({.scope = scope,
                           .expires = expires.value_or(""),
                           .owner = rights.owner,
                           .limits = rights.limits});
  key.record = KeyStore(pool_).Create(key.record, by);
  return key;
}

core::Result<NewKey> Keys::Rotate(std::int64_t id, const std::optional<std::string>& expires,
                                  int grace_hours, const Writer& by) {
  if (const auto status = CheckExpires(expires); !status.ok()) return status.error();
  NewKey key = WithSecret({.expires = expires.value_or("")});
  auto made = KeyStore(pool_).Rotate(id, key.record, grace_hours, by);
  if (!made.ok()) return made.error();
  key.record = *std::move(made);
  return key;
}

core::Result<std::int64_t> Keys::Find(const std::string& name) {
  if (const auto id = core::NumberFrom<std::int64_t>(name)) return *id;
  const std::string sha256 = core::Sha256Hex(name);
  std::vector<std::int64_t> found;
  for (const KeyRecord& key : KeyStore(pool_).List().keys) {
    if (key.sha256 == sha256) return key.id;
    if (key.hint == name) found.push_back(key.id);
  }
  if (found.size() == 1) return found.front();
  // The name may be a secret with a typing error, so the error does not repeat it.
  const std::string hint = name.substr(0, kHintChars);
  if (found.empty()) {
    return core::Error{"unknown_key", fmt::format("no key '{}'; type the id or the first "
                                                  "characters that `key list` shows",
                                                  core::Excerpt(hint))};
  }
  return core::Error{"ambiguous_key", fmt::format("several keys begin with '{}'; type one of the "
                                                  "ids {}",
                                                  hint, fmt::join(found, ", "))};
}

void Keys::Start() {
  Refresh();
  thread_.Start([this] { Follow(); });
}

void Keys::Follow() {
  bool could = true;
  while (thread_.Pause(could ? kLeastPause : kRetryPause) && thread_.Await(could ? kPoll : 0ms)) {
    const bool can = Look();
    if (could && !can) spdlog::warn("cannot read the keys; the last known keys stay valid");
    could = can;
  }
}

bool Keys::Look() {
  try {
    Refresh();
    return true;
  } catch (const std::exception& error) {
    spdlog::debug("keys: {}", error.what());
    const std::lock_guard lock(mutex_);
    reachable_ = false;
    return false;
  }
}

void Keys::Refresh() {
  const auto begin = Clock::now();
  const core::Pin epoch = KeyStore(pool_).ReadEpoch();
  bool changed = true;
  {
    const std::lock_guard lock(mutex_);
    changed = epoch != epoch_;
    // After a restore, the epoch may be lower although the new listing is later.
    if (epoch.number < epoch_.number) epoch_ = {};
  }
  if (changed) Take(KeyStore(pool_).List());
  const std::lock_guard lock(mutex_);
  as_of_ = std::max(as_of_, begin);
  reachable_ = true;
}

void Keys::Take(KeyList list) {
  std::map<std::string, Known, std::less<>> fresh;
  for (KeyRecord& key : list.keys) {
    Writer holder = HolderOfKey(key);
    if (!holder.admin) holder.quotas = quotas_;
    std::string sha256 = key.sha256;
    fresh.emplace(std::move(sha256), Known{std::move(key), std::move(holder)});
  }
  const std::lock_guard lock(mutex_);
  if (list.epoch.number < epoch_.number) return;
  epoch_ = std::move(list.epoch);
  by_sha256_.swap(fresh);
}

bool Keys::IsOf(Clock::time_point moment) const {
  const std::lock_guard lock(mutex_);
  return as_of_ >= moment;
}

bool Keys::Awaits(Clock::time_point moment) {
  {
    const std::lock_guard lock(mutex_);
    if (as_of_ >= moment || !reachable_) return false;
  }
  Wake();
  return true;
}

KeyCheck Keys::Check(std::string_view bearer, std::string_view scope) const {
  if (!WellFormed(bearer)) return {KeyVerdict::kMalformed};
  const std::string sha256 = core::Sha256Hex(bearer);
  const std::lock_guard lock(mutex_);
  const auto found = by_sha256_.find(sha256);
  if (found == by_sha256_.end()) return {KeyVerdict::kUnknown};
  return {Judge(found->second.record, scope), found->second.holder};
}

// True if the key's use was recorded within kNoteEvery. Otherwise the use counts as recorded now.
// So an agent with a thousand claims a second does not cause a thousand writes.
bool Keys::IsNoted(std::int64_t key) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  const auto [noted, is_new] = noted_.try_emplace(key, now);
  if (!is_new && now - noted->second < kNoteEvery) return true;
  noted->second = now;
  return false;
}

bool Keys::IsNotedLately(std::int64_t key) const {
  const std::lock_guard lock(mutex_);
  const auto noted = noted_.find(key);
  return noted != noted_.end() && std::chrono::steady_clock::now() - noted->second < kNoteEvery;
}

KeyCheck Keys::Use(std::string_view bearer, std::string_view scope) {
  const KeyCheck check = Check(bearer, scope);
  if (check.verdict != KeyVerdict::kGranted || IsNoted(check.holder.api_key)) return check;
  try {
    KeyStore(pool_).Touch(check.holder.api_key);
  } catch (const Unavailable&) {  // NOLINT(bugprone-empty-catch)
    // The key stays valid if the hub cannot record its use, because reads work without the
    // database.
  }
  return check;
}

}  // namespace tunehub::server
