// Who writes: the holder of a key, or a server's own command.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::store {

// Of keys that name no owner.
inline constexpr const char* kDefaultOwner = "default";

// What a key may write to; an empty list: anything.
struct KeyLimits {
  std::vector<std::string> families;
  std::vector<std::string> targets;  // "gfx942:304", or "gfx942" with any CU count
  std::vector<std::string> sources;

  bool any() const { return !families.empty() || !targets.empty() || !sources.empty(); }
  bool operator==(const KeyLimits&) const = default;
};

// For people: "families a8w8, targets gfx942:304 gfx950"; "" where there are none.
std::string DescribeLimits(const KeyLimits& limits);

struct Writer {
  std::int64_t api_key = 0;  // 0: none, a server's own command
  std::string owner = kDefaultOwner;
  bool admin = false;                            // may change what others own
  std::shared_ptr<const KeyLimits> limits = {};  // null: none
  std::string request = {};                      // its X-Request-Id

  bool MayChange(std::string_view what_is_of) const { return admin || owner == what_is_of; }
};

// Whether the writer's key is limited to others: error key_limited, which names limit and value.
core::Status CheckFamily(const Writer& writer, std::string_view family);
// Of what is everybody's, a build's name for one: a key with any limit does not change it.
core::Status CheckUnlimited(const Writer& writer, const std::string& what);
// `cu_num` 0: of any; `gfx` "": any.
core::Status CheckTarget(const Writer& writer, std::string_view gfx, int cu_num);
// `source` "": rows of none.
core::Status CheckSource(const Writer& writer, std::string_view source);

// Error not_owner: `what`, such as "source 'aiter'", belongs to another.
core::Status CheckOwner(const Writer& writer, const std::string& what, const std::string& owner);

}  // namespace tunehub::store
