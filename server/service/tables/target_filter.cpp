// The target parameters: gfx and cu_num (every combination), target (pairs), gpu_archs (as
// GPU_ARCHS). In the place of each gfx a product may stand.
#include <fmt/core.h>

#include <algorithm>

#include "core/base/ascii.h"
#include "core/base/excerpt.h"
#include "core/row/cell.h"
#include "core/row/target.h"
#include "core/row/target_name.h"
#include "server/service/registry/bad_parameter.h"
#include "server/service/tables/tuned_query.h"

namespace tunehub::service {
namespace {

constexpr int kMaxCuNum = 65'536;

// Splits at any of `separators`, trims, drops what is empty; takes the parameter out of the list.
// One without any value is an error: "?gfx=$GFX" with GFX unset would ask for every target's rows.
core::Result<std::vector<std::string>> TakeList(Parameters& parameters, std::string_view name,
                                                std::string_view separators) {
  std::vector<std::string> values;
  for (const auto& [key, value] : parameters) {
    if (key != name) continue;
    if (value.find_first_not_of(std::string(separators) + " ") == std::string::npos) {
      return core::Error{"bad_parameter", fmt::format("{}: there is no value", name)};
    }
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find_first_of(separators, begin), value.size());
      const std::size_t first = value.find_first_not_of(' ', begin);
      if (first < end) {
        const std::size_t last = value.find_last_not_of(' ', end - 1);
        values.push_back(value.substr(first, last - first + 1));
      }
      begin = end + 1;
    }
  }
  std::erase_if(parameters, [&](const auto& parameter) { return parameter.first == name; });
  return values;
}

// A product's name says its CU count, too.
core::Result<TargetFilter> ParseGfx(const core::Targets& targets, const std::string& text) {
  const auto named = core::NamedTarget(targets.devices(), text);
  if (!named.ok()) return core::Error{"bad_parameter", "gfx: " + named.error().detail};
  if (named->cu_num == 0) return TargetFilter{named->gfx, std::nullopt};
  return TargetFilter{named->gfx, named->cu_num};
}

core::Result<int> ParseCuNum(const std::string& text) {
  const auto cu_num = core::ParseInt(text);
  if (cu_num && *cu_num > 0 && *cu_num <= kMaxCuNum) return *cu_num;
  return BadParameter("cu_num", text, fmt::format("is not within 1..{}", kMaxCuNum));
}

core::Result<std::vector<int>> ParseCuNums(const std::vector<std::string>& texts) {
  std::vector<int> cu_nums;
  for (const std::string& text : texts) {
    const auto cu_num = ParseCuNum(text);
    if (!cu_num.ok()) return cu_num.error();
    cu_nums.push_back(*cu_num);
  }
  return cu_nums;
}

core::Result<TargetFilter> ParsePair(const core::Targets& targets, const std::string& text) {
  const bool named = targets.devices().Find(text) != nullptr;  // also by a PCI id
  const std::size_t colon = named ? std::string::npos : text.rfind(':');
  auto filter = ParseGfx(targets, text.substr(0, colon));
  if (!filter.ok()) return filter;
  if (colon == std::string::npos) {
    if (filter->cu_num) return filter;
    return BadParameter("target", text, "is no pair such as gfx950:256");
  }
  const auto cu_num = ParseCuNum(text.substr(colon + 1));
  if (!cu_num.ok()) return cu_num.error();
  return TargetFilter{filter->gfx, *cu_num};
}

core::Error NoDefaultCount(const core::Targets& targets, const std::string& text) {
  std::string known;
  for (const auto& [name, it] : targets.archs()) {
    if (it.default_cu_num > 0) known += (known.empty() ? "" : ", ") + name;
  }
  if (core::Lower(text) == "native") {
    return {"unknown_gfx", fmt::format("gpu_archs: 'native' is the GPU of the host that builds, "
                                       "which only that host knows; name it: {}",
                                       known)};
  }
  return {"unknown_gfx",
          fmt::format("gpu_archs: '{}' has no default CU count; those with one are {}",
                      core::Excerpt(text), known)};
}

// AITER's get_build_targets: each arch with CU_NUM where given, else with its default count.
core::Result<TargetFilter> ParseArch(const core::Targets& targets, const std::string& text,
                                     const std::vector<int>& cu_nums) {
  const core::Device* const device = targets.FindDevice(text);
  if (device != nullptr && (device->cu_num > 0 || !cu_nums.empty()))
    return TargetFilter{device->gfx, cu_nums.empty() ? device->cu_num : cu_nums[0]};
  if (targets.devices().IsAmbiguous(text)) return ParseGfx(targets, text);
  const core::GpuArch* arch = targets.Find(text);
  if (arch == nullptr || (arch->default_cu_num == 0 && cu_nums.empty()))
    return NoDefaultCount(targets, text);
  return TargetFilter{text, cu_nums.empty() ? arch->default_cu_num : cu_nums[0]};
}

core::Result<std::vector<TargetFilter>> Cross(const core::Targets& targets,
                                              const std::vector<std::string>& gfxs,
                                              const std::vector<int>& cu_nums) {
  std::vector<TargetFilter> filters;
  for (const std::string& text : gfxs) {
    auto filter = ParseGfx(targets, text);
    if (!filter.ok()) return filter.error();
    if (cu_nums.empty()) filters.push_back(*filter);
    for (int cu_num : cu_nums) filters.push_back({filter->gfx, cu_num});
  }
  if (gfxs.empty()) {
    for (int cu_num : cu_nums) filters.push_back({"", cu_num});
  }
  return filters;
}

}  // namespace

std::string TargetFilter::Text() const {
  const std::string name = gfx.empty() ? "*" : gfx;
  return cu_num ? fmt::format("{}:{}", name, *cu_num) : name;
}

bool TargetFilter::Matches(std::string_view row_gfx, int row_cu_num) const {
  // row_cu_num 0: the family has no CU count, so its rows are for any.
  return (gfx.empty() || gfx == row_gfx || row_gfx == core::kAnyGfx) &&
         (!cu_num || row_cu_num == 0 || *cu_num == row_cu_num);
}

core::Result<std::vector<TargetFilter>> ParseTargets(const core::Targets& targets,
                                                     Parameters& parameters) {
  const auto gfxs = TakeList(parameters, "gfx", ",;"), pairs = TakeList(parameters, "target", ",;"),
             archs = TakeList(parameters, "gpu_archs", ";"),
             cu_texts = TakeList(parameters, "cu_num", ",;");
  for (const auto* list : {&gfxs, &pairs, &archs, &cu_texts}) {
    if (!list->ok()) return list->error();
  }
  const auto cu_nums = ParseCuNums(*cu_texts);
  if (!cu_nums.ok()) return cu_nums.error();
  if (!archs->empty() && (!gfxs->empty() || !pairs->empty() || cu_nums->size() > 1)) {
    return core::Error{"bad_parameter",
                       "gpu_archs goes with at most one cu_num, and with neither gfx nor target"};
  }
  auto filters = archs->empty() ? Cross(targets, *gfxs, *cu_nums) : std::vector<TargetFilter>();
  if (!filters.ok()) return filters;
  for (const std::string& text : *archs) {
    auto filter = ParseArch(targets, text, *cu_nums);
    if (!filter.ok()) return filter.error();
    filters->push_back(*std::move(filter));
  }
  for (const std::string& text : *pairs) {
    auto filter = ParsePair(targets, text);
    if (!filter.ok()) return filter.error();
    filters->push_back(*std::move(filter));
  }
  return filters;
}

}  // namespace tunehub::service
