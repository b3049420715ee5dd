#include "core/base/json_scan.h"

namespace tunehub::core {

bool NestsTooDeep(std::string_view json, int most) {
  int depth = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      at = EndOfJsonString(json, at) - 1;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::size_t EndOfJsonString(std::string_view json, std::size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '"') return at + 1;
    if (json[at] == '\\') ++at;
  }
  return json.size();
}

}  // namespace tunehub::core
