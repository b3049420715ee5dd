#include "server/store/registry/key_limits.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"

namespace tunehub::store {
namespace {

struct LimitMember {
  const char* name;
  std::vector<std::string> KeyLimits::*list;
};

constexpr LimitMember kLimits[] = {{"families", &KeyLimits::families},
                                   {"targets", &KeyLimits::targets},
                                   {"sources", &KeyLimits::sources}};

}  // namespace

std::string LimitsText(const KeyLimits& limits) {
  auto json = nlohmann::json::object();
  for (const LimitMember& limit : kLimits) {
    if (!(limits.*limit.list).empty()) json[limit.name] = limits.*limit.list;
  }
  return json.dump();
}

KeyLimits ParseLimits(const std::string& text) {
  const auto json = core::SureJson(text);
  KeyLimits limits;
  for (const LimitMember& limit : kLimits) {
    if (json.contains(limit.name)) json.at(limit.name).get_to(limits.*limit.list);
  }
  return limits;
}

}  // namespace tunehub::store
