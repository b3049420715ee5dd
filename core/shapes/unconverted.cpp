#include "core/shapes/unconverted.h"

#include <algorithm>
#include <array>

#include "core/base/split.h"
#include "core/row/cell.h"

namespace tunehub::core {
namespace {

// What stands before a layer's number, or for any number.
constexpr std::array<std::string_view, 6> kSayNothing = {"model", "language_model", "layers",
                                                         "*",     "text_model",     "weight"};

// A regular expression as the dotted path that it stands for.
std::string Plain(std::string_view entry) {
  if (entry.starts_with("re:")) entry.remove_prefix(3);
  std::string plain;
  for (std::size_t i = 0; i < entry.size(); ++i) {
    const std::string_view rest = entry.substr(i);
    if (rest.starts_with("\\d+") || rest.starts_with("\\d*")) {
      plain += '*';
      i += 2;
    } else if (rest.starts_with("\\.")) {
      plain += '.';
      i += 1;
    } else if (rest.starts_with(".*")) {
      plain += ".*.";  // it may end within a word; entries end at dots
      i += 1;
    } else if (entry[i] != '^' && entry[i] != '$') {
      plain += entry[i];
    }
  }
  return plain;
}

}  // namespace

Unconverted ParseUnconverted(std::string_view entry) {
  Unconverted result;
  const std::string plain = Plain(entry);
  for (const std::string_view part : SplitAt(plain, ".")) {
    if (part.empty() || std::ranges::find(kSayNothing, part) != kSayNothing.end()) continue;
    const auto number = ParseInt64(part);
    if (number && *number >= 0) {
      result.layer = *number;
      continue;
    }
    result.module += (result.module.empty() ? "" : ".") + std::string(part);
  }
  return result;
}

bool Covers(std::string_view module, std::string_view name) {
  if (module.empty()) return true;
  for (std::size_t at = name.find(module); at != std::string_view::npos;
       at = name.find(module, at + 1)) {
    const std::size_t end = at + module.size();
    if ((at == 0 || name[at - 1] == '.') && (end == name.size() || name[end] == '.')) return true;
  }
  return false;
}

}  // namespace tunehub::core
