#include "core/readers/tunable_path.h"

#include <algorithm>
#include <vector>

#include "core/row/tunable_validators.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kMostDigits = 3;  // of a GPU's number
constexpr std::string_view kSlash = "%2F", kPercent = "%25";

std::string EscapedPart(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '/') {
      out += kSlash;
    } else if (c == '%') {
      out += kPercent;
    } else {
      out += c;
    }
  }
  return out;
}

std::string UnescapedPart(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool slash = text.starts_with(kSlash);
    const bool escaped = slash || text.starts_with(kPercent);
    out += escaped ? (slash ? '/' : '%') : text.front();
    text.remove_prefix(escaped ? kSlash.size() : 1);
  }
  return out;
}

bool IsFileName(std::string_view name) {
  const std::size_t at = kTunableFileName.find(kGpuNumber);
  const std::string_view head = kTunableFileName.substr(0, at);
  const std::string_view tail = kTunableFileName.substr(at + kGpuNumber.size());
  if (name.size() < head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail)) {
    return false;
  }
  const std::string_view number = name.substr(head.size(), name.size() - head.size() - tail.size());
  return number == kGpuNumber ||
         (number.size() <= kMostDigits &&
          std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; }));
}

Error BadName(std::size_t part, std::string_view text, const std::string& why) {
  return {"bad_file_name", "part " + std::to_string(part) + " '" + std::string(text) + "': " + why};
}

}  // namespace

std::string TunableFileName(std::string_view name, int device) {
  std::string text(name);
  const std::string number = std::to_string(device);
  if (const std::size_t at = text.find(kGpuNumber); at != std::string::npos) {
    return text.replace(at, kGpuNumber.size(), number);
  }
  return text.insert(std::min(text.rfind('.'), text.size()), number);
}

std::string TunablePathOf(const TunablePlace& place) {
  const std::string folder = place.device.empty() ? "" : EscapedPart(place.device) + "/";
  return folder + EscapedPart(place.validators) + "/" + std::string(kTunableFileName);
}

Result<TunablePlace> ParseTunablePath(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() < 2 || parts.size() > 3) {
    return BadName(1, path,
                   "a file of TunableOp's is [DEVICE/]VALIDATORS/" + std::string(kTunableFileName));
  }
  const std::size_t last = parts.size() - 1;
  if (!IsFileName(parts[last])) {
    return BadName(last + 1, parts[last], "is not " + std::string(kTunableFileName));
  }
  const auto validators = ParseValidators(UnescapedPart(parts[last - 1]));
  if (!validators.ok()) return BadName(last, parts[last - 1], validators.error().detail);
  TunablePlace place{"", ValidatorsText(*validators)};
  if (last < 2) return place;
  if (parts[0].empty()) return BadName(1, parts[0], "a device without a name has no folder");
  place.device = UnescapedPart(parts[0]);
  return place;
}

}  // namespace tunehub::core
