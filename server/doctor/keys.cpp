// Whether anybody can write.
#include <fmt/core.h>

#include <algorithm>

#include "core/base/rfc3339.h"
#include "server/doctor/checks.h"

namespace tunehub::doctor {
namespace {

using store::KeyRecord;

bool HasExpired(const KeyRecord& key) {
  if (key.expires.empty()) return false;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return core::Rfc3339Microseconds(key.expires).value_or(0) <=
         std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

bool MaySend(const KeyRecord& key) {
  return key.scope == "submit" || key.scope == "claim" || key.scope == "admin";
}

}  // namespace

void CheckKeys(Subject& subject, Report& report) {
  const auto keys = subject.store->keys().List().keys;
  const auto in_force = [&](const KeyRecord& key) {
    return MaySend(key) && key.revoked.empty() && !HasExpired(key);
  };
  if (std::ranges::any_of(keys, in_force)) return;
  std::string last;
  for (const KeyRecord& key : keys) {
    if (MaySend(key) && key.revoked.empty()) last = std::max(last, key.expires);
  }
  report.Wrong(last.empty()
                   ? "no key of scope submit, claim or admin is in force"
                   : fmt::format("all keys that may send have expired, the last one at {}", last),
               "make one: tunehub-server key create --scope submit");
}

}  // namespace tunehub::doctor
