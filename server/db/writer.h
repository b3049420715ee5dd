// The author of a write: the holder of an API key, or a server's own command. Each write checks its
// author in its own transaction, under locks that the write needs in any case.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/row/row.h"

namespace tunehub::server {

// The owner of API keys without an owner.
inline constexpr const char* kDefaultOwner = "default";

// An API key's limits for writes. An empty list means no limit.
struct KeyLimits {
  std::vector<std::string> families;
  std::vector<std::string> targets;  // "gfx942:304", or "gfx942" with any CU count
  std::vector<std::string> sources;

  bool any() const { return !families.empty() || !targets.empty() || !sources.empty(); }
  bool operator==(const KeyLimits&) const = default;
};

struct KeyLimit {
  const char* name;
  std::vector<std::string> KeyLimits::*list;
};
inline constexpr KeyLimit kLimitLists[] = {{"families", &KeyLimits::families},
                                           {"targets", &KeyLimits::targets},
                                           {"sources", &KeyLimits::sources}};

// Returns a text for people: "families a8w8, targets gfx942:304 gfx950". Returns "" without limits.
std::string DescribeLimits(const KeyLimits& limits);

// The amounts that an API key writes in a day. In a limit, 0 means any number.
struct Usage {
  std::int64_t rows = 0, demand = 0, bytes = 0, keys = 0;  // keys: number of changed shape keys
};

struct Writer {
  std::int64_t api_key = 0;  // 0: no API key, because a server's own command writes
  std::string owner = kDefaultOwner;
  bool admin = false;                            // may change rows of other owners
  std::shared_ptr<const KeyLimits> limits = {};  // null: none
  std::string request = {};                      // the request's X-Request-Id
  std::shared_ptr<const Usage> quotas = {};      // null: no limit, as for an admin

  bool MayChange(std::string_view what_is_of) const { return admin || owner == what_is_of; }
};

// Errors: key_limited, with the limit and the value, if the writer's key is limited to other
// families.
core::Status CheckFamily(const Writer& writer, std::string_view family);
// For data that owners share, such as a build's name. An API key with any limit must not change
// such data.
core::Status CheckUnlimited(const Writer& writer, const std::string& what);
// `cu_num` 0: any CU count. `gfx` "": any.
core::Status CheckTarget(const Writer& writer, std::string_view gfx, int cu_num);
// `source` "": rows without a source.
core::Status CheckSource(const Writer& writer, std::string_view source);

// Errors: not_owner (`what`, such as "source 'aiter'", belongs to another owner).
core::Status CheckOwner(const Writer& writer, const std::string& what, const std::string& owner);

// A request to write, as its caller describes it.
struct WriteRequest : Writer {
  std::optional<std::string> idempotency_key;
  std::string digest;         // SHA-256 of the decoded body, the path and the query
  std::int64_t bytes = 0;     // size of the decoded body
  bool atomic = false;        // true: one rejected row rejects the whole write
  bool dry_run = false;       // true: does everything except the commit
  bool allow_shrink = false;  // true: an import may withdraw many rows of its source
};

struct WriteOutcome {
  std::int64_t batch = 0;
  std::string receipt;  // JSON
  // true: the idempotency key was known; `receipt` is that of the first write
  bool replayed = false;
};

struct Refusal {
  core::Error error;
  std::vector<core::RowIssue> issues;  // issues of rows
  std::string members = {};            // further members of the problem's JSON; "": none
};

// The answer for the client: the receipt, or the reason why the hub stored nothing.
struct WriteAnswer {
  std::string receipt;  // JSON
  bool replayed = false;
  std::optional<Refusal> refusal;
};

// Returns the answer for the store's outcome, new or replayed.
WriteAnswer Answered(core::Result<WriteOutcome> outcome);
WriteAnswer Refuse(core::Error error, std::vector<core::RowIssue> issues = {});
// Returns the refusal for rejected rows with atomic=1.
WriteAnswer RefuseRejected(std::vector<core::RowIssue> issues);

enum class BodyFormat { kCsv, kJson };

}  // namespace tunehub::server
