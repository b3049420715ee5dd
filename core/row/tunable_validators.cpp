#include "core/row/tunable_validators.h"

#include "core/base/ascii.h"
#include "core/base/split.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kBetween = ";";  // no version of a library has one

Error BadPart(std::string_view part, const std::string& why) {
  return {"bad_validators",
          "validators are NAME=VALUE;NAME=VALUE: '" + std::string(part) + "' " + why};
}

}  // namespace

std::string ValidatorsText(const Validators& validators) {
  std::string text;
  for (const auto& [name, value] : validators) {
    if (!text.empty()) text += kBetween;
    text += name + "=" + value;
  }
  return text;
}

std::string WhyNoValidator(std::string_view name, std::string_view value) {
  if (name.empty()) return "has no name";
  if (value.empty()) return "has no value";
  if (name.find('=') != std::string_view::npos) return "has '=' in its name";
  for (const std::string_view part : {name, value}) {
    if (part.find(kBetween) != std::string_view::npos) return "holds ';'";
    if (part.find(',') != std::string_view::npos) return "holds ','";
    if (HoldsControl(part)) return "holds a control character";
  }
  return "";
}

Result<Validators> ParseValidators(std::string_view text) {
  Validators validators;
  for (const std::string_view part : SplitAfter(text, kBetween)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return BadPart(part, "has no '='");
    const std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
    if (const std::string why = WhyNoValidator(name, value); !why.empty()) {
      return BadPart(part, why);
    }
    if (!validators.emplace(name, value).second) return BadPart(part, "has a name that was there");
  }
  if (!validators.contains(std::string(kPtVersion))) {
    return Error{"bad_validators", "there is no PT_VERSION, which every file of PyTorch's has"};
  }
  return validators;
}

std::string TargetGfxOf(const Validators& validators) {
  const auto arch = validators.find(std::string(kGcnArchName));
  if (arch == validators.end()) return "";
  return arch->second.substr(0, arch->second.find(':'));
}

}  // namespace tunehub::core
