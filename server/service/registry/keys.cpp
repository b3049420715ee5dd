#include "server/service/registry/keys.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/base/rfc3339.h"
#include "core/base/sha256.h"
#include "core/system/random.h"
#include "server/service/registry/key_rights.h"

namespace tunehub::service {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPrefix = "thub_";
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";  // RFC 4648 base32
constexpr std::size_t kSecretBytes = 20;                                    // 160 bits
constexpr std::size_t kSecretChars = 32;
constexpr std::chrono::seconds kNoteEvery{10};  // touch_key.sql writes once a minute
// How long a revoked key stays good where no notification comes, and how often requests with
// unknown keys can have the epoch read at most.
constexpr std::chrono::milliseconds kPoll{1'000};
constexpr std::chrono::milliseconds kLeastPause{25};
constexpr std::chrono::milliseconds kRetryPause{250};  // while the database is gone
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

std::int64_t NowMicroseconds() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count();
}

// What a key of one scope may do beside that. An agent claims, reads, and sends what it measured.
bool Includes(std::string_view key_scope, std::string_view scope) {
  if (key_scope == scope || key_scope == "admin" || scope == kAnyScope) return true;
  return key_scope == "claim" && (scope == "submit" || scope == "read");
}

KeyVerdict Judge(const store::KeyRecord& key, std::string_view scope) {
  if (!key.revoked.empty()) return KeyVerdict::kRevoked;
  // As times: as texts "00.5Z" would come before "00Z".
  if (!key.expires.empty() &&
      core::Rfc3339Microseconds(key.expires).value_or(0) <= NowMicroseconds())
    return KeyVerdict::kExpired;
  if (!Includes(key.scope, scope)) return KeyVerdict::kForbidden;
  return KeyVerdict::kGranted;
}

store::Writer HolderOfKey(const store::KeyRecord& key) {
  store::Writer holder;
  holder.api_key = key.id;
  holder.owner = key.owner;
  holder.admin = key.scope == "admin";
  if (key.limits.any()) holder.limits = std::make_shared<const store::KeyLimits>(key.limits);
  return holder;
}

// PostgreSQL would take more: 'infinity', 'yesterday'.
bool IsTime(const std::string& text) {
  return core::IsRfc3339(text) || core::IsRfc3339(text + "T00:00:00Z");
}

}  // namespace

core::Result<NewKey> Keys::Create(const std::string& scope,
                                  const std::optional<std::string>& expires,
                                  const KeyRights& rights) {
  if (std::find(kScopes.begin(), kScopes.end(), scope) == kScopes.end()) {
    return core::Error{
        "bad_scope",
        fmt::format("'{}' is no scope; the scopes are read, submit, claim, admin", scope)};
  }
  if (expires && !IsTime(*expires)) {
    return core::Error{
        "bad_expires",
        fmt::format("'{}' is no time such as 2026-12-31 or 2026-12-31T12:00:00Z", *expires)};
  }
  if (const auto status = CheckRights(store_, rights); !status.ok()) return status.error();
  NewKey key;
  key.secret = std::string(kPrefix) + Base32(core::RandomBytes(kSecretBytes));
  key.record = store_.keys().Create({core::Sha256Hex(key.secret), key.secret.substr(0, kHintChars),
                                     scope, expires, rights.owner, rights.limits});
  return key;
}

void Keys::Start() {
  Refresh();
  thread_.Start([this] { Follow(); });
}

void Keys::Follow() {
  bool could = true;
  while (thread_.Pause(could ? kLeastPause : kRetryPause) && thread_.Await(could ? kPoll : 0ms)) {
    const bool can = Look();
    if (could && !can) spdlog::warn("keys are judged by the last that were read");
    could = can;
  }
}

bool Keys::Look() {
  bool reached = true;
  try {
    Refresh();
  } catch (const std::exception& error) {
    spdlog::debug("keys: {}", error.what());
    reached = false;
  }
  const std::lock_guard lock(mutex_);
  reachable_ = reached;
  return reached;
}

void Keys::Refresh() {
  const auto begin = Clock::now();
  const core::Pin epoch = store_.keys().ReadEpoch();
  bool changed = true;
  {
    const std::lock_guard lock(mutex_);
    changed = epoch != epoch_;
    // A restore went back: what is listed now is later than what was known, whatever its number.
    if (epoch.number < epoch_.number) epoch_ = {};
  }
  if (changed) Take(store_.keys().List());
  const std::lock_guard lock(mutex_);
  as_of_ = std::max(as_of_, begin);
  reachable_ = true;
}

void Keys::Take(store::KeyList list) {
  std::map<std::string, Known, std::less<>> fresh;
  for (store::KeyRecord& key : list.keys) {
    store::Writer holder = HolderOfKey(key);
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

// Whether the key's use was noted within kNoteEvery; if not, it counts as noted now. An agent that
// claims a thousand jobs a second is not to write a thousand times.
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
    store_.keys().Touch(check.holder.api_key);
  } catch (const store::Unavailable&) {  // NOLINT(bugprone-empty-catch)
    // The key is good although its use could not be noted: reads go on without the database.
  }
  return check;
}

}  // namespace tunehub::service
