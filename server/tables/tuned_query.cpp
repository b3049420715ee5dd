#include "server/tables/tuned_query.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/table/table_writer.h"
#include "server/answers/issues.h"
#include "server/tables/file_rows.h"
#include "server/tables/tuned_options.h"

namespace tunehub::server {

// The target parameters: gfx and cu_num (every combination), target (pairs), gpu_archs (in the form
// of GPU_ARCHS). A product may replace each gfx.

namespace {

// Removes the parameter and splits its value at any of `separators`. Trims the parts and drops
// empty ones. A list without values is an error: "?gfx=$GFX" with GFX unset would select every
// target's rows.
core::Result<std::vector<std::string>> TakeList(Parameters& parameters, std::string_view name,
                                                std::string_view separators) {
  std::vector<std::string> values;
  for (const auto& [key, value] : parameters) {
    if (key != name) continue;
    if (value.find_first_not_of(std::string(separators) + " ") == std::string::npos) {
      return core::Error{"bad_parameter", fmt::format("{}: has no value", name)};
    }
    for (const std::string_view part : core::SplitAt(value, separators)) {
      const std::size_t first = part.find_first_not_of(' ');
      if (first == std::string_view::npos) continue;
      values.emplace_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
    }
  }
  std::erase_if(parameters, [&](const auto& parameter) { return parameter.first == name; });
  return values;
}

// A product's name implies its CU count.
core::Result<core::Target> ParseGfx(const core::Targets& targets, const std::string& text,
                                    int cu_num = 0) {
  auto named = core::NamedTarget(targets, text, cu_num);
  if (!named.ok()) return core::Error{"bad_parameter", "gfx: " + named.error().detail};
  return named;
}

core::Result<int> ParseCuNum(const std::string& text) {
  const auto cu_num = core::ParseInt(text);
  if (cu_num && *cu_num > 0 && *cu_num <= core::kMaxCuNum) return *cu_num;
  return BadParameter("cu_num", text, fmt::format("is wrong; expected 1 to {}", core::kMaxCuNum));
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

core::Result<core::Target> ParsePair(const core::Targets& targets, const std::string& text) {
  const bool named = targets.devices().Named(text) != nullptr;  // also by a PCI id
  const std::size_t colon = named ? std::string::npos : text.rfind(':');
  const auto cu_num =
      colon == std::string::npos ? core::Result<int>(0) : ParseCuNum(text.substr(colon + 1));
  if (!cu_num.ok()) return cu_num.error();
  auto filter = ParseGfx(targets, text.substr(0, colon), *cu_num);
  if (!filter.ok() || filter->cu_num > 0) return filter;
  return BadParameter("target", text,
                      "is wrong; expected an architecture and a CU count, such as gfx950:256");
}

core::Error NoDefaultCount(const core::Targets& targets, const std::string& text) {
  std::string known;
  for (const auto& [name, it] : targets.archs()) {
    if (it.default_cu_num > 0) known += (known.empty() ? "" : ", ") + name;
  }
  if (core::Lower(text) == "native") {
    return {"unknown_gfx",
            fmt::format("gpu_archs: 'native' is the GPU of the host that builds, and only that "
                        "host knows this GPU. Name the architecture: {}",
                        known)};
  }
  return {"unknown_gfx", fmt::format("gpu_archs: '{}' has no default CU count; expected one of {}",
                                     core::Excerpt(text), known)};
}

// Like AITER's get_build_targets: returns each arch with the given CU count, or else with the
// arch's default CU count.
core::Result<core::Target> ParseArch(const core::Targets& targets, const std::string& text,
                                     const std::vector<int>& cu_nums) {
  const int cu_num = cu_nums.empty() ? 0 : cu_nums[0];
  if (targets.devices().Named(text) != nullptr || targets.devices().IsAmbiguous(text)) {
    auto named = ParseGfx(targets, text, cu_num);
    if (!named.ok() || named->cu_num > 0) return named;
  }
  const core::GpuArch* const arch = targets.Find(text);
  if (arch == nullptr || (arch->default_cu_num == 0 && cu_num == 0))
    return NoDefaultCount(targets, text);
  return core::Target{text, cu_num == 0 ? arch->default_cu_num : cu_num};
}

core::Result<std::vector<core::Target>> Cross(const core::Targets& targets,
                                              const std::vector<std::string>& gfxs,
                                              const std::vector<int>& cu_nums) {
  std::vector<core::Target> filters;
  for (const std::string& text : gfxs) {
    for (const int cu_num : cu_nums.empty() ? std::vector<int>{0} : cu_nums) {
      auto filter = ParseGfx(targets, text, cu_num);
      if (!filter.ok()) return filter.error();
      filters.push_back(*std::move(filter));
    }
  }
  if (gfxs.empty()) {
    for (int cu_num : cu_nums) filters.push_back({"", cu_num});
  }
  return filters;
}

// Removes the target parameters.
core::Result<std::vector<core::Target>> ParseTargets(const core::Targets& targets,
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
                       "with gpu_archs, pass at most one cu_num, and no gfx and no target"};
  }
  auto filters = archs->empty() ? Cross(targets, *gfxs, *cu_nums) : std::vector<core::Target>();
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

ColumnFilter NamesOf(std::size_t column, const std::vector<std::string>& asked,
                     const core::Devices& devices) {
  ColumnFilter filter{column, {}};
  for (const std::string& name : asked) {
    filter.values.push_back(name);
    if (!devices.IsProduct(name)) continue;
    for (const core::DeviceName& alias : devices.Find(name)->aliases)
      filter.values.push_back(alias.name);
  }
  return filter;
}

std::vector<std::string> ProductsOf(const core::Devices& devices) {
  return core::Mapped(devices.all(), &core::Device::product);
}

core::Status ToProducts(std::vector<std::string>& names, const core::Devices& devices) {
  for (std::string& name : names) {
    if (devices.IsAmbiguous(name)) {
      return BadParameter("device", name,
                          "is a name that several devices share; use a GPU's trade name");
    }
    const core::Device* const device = devices.Named(name);
    if (device == nullptr) {
      return BadParameter("device", name,
                          "is unknown; expected a product such as MI325X, an alias or a PCI id" +
                              core::DidYouMean(name, ProductsOf(devices)));
    }
    name = device->product;
  }
  return core::Ok();
}

// Makes filters from device=. If the family has a device column, they filter this column, and a
// product means all its aliases. Otherwise they filter runs by product. Errors: bad_parameter (a
// name is unknown, or several devices share it).
core::Status SettleDevices(TunedQuery& query, const core::Family& family,
                           const core::Devices& devices) {
  if (core::Status status = ToProducts(query.preferred.devices, devices); !status.ok())
    return status;
  if (family.device == core::kNoColumn) return ToProducts(query.runs.devices, devices);
  if (query.runs.devices.empty()) return core::Ok();
  query.columns.push_back(NamesOf(family.device, query.runs.devices, devices));
  query.runs.devices.clear();
  return core::Ok();
}

core::Error Unknown(const core::Family& family, std::string_view name) {
  std::string allowed = "gfx, cu_num, target, gpu_archs";
  for (const TunedOption& option : TunedOptions()) allowed += ", " + std::string(option.name);
  for (std::size_t i : family.key_columns) {
    if (family.columns[i].role != core::Role::kTarget) allowed += ", " + family.columns[i].name;
  }
  return {"unknown_parameter", fmt::format("unknown parameter '{}' of {}; known parameters: {}",
                                           core::Excerpt(name), family.name, allowed)};
}

core::Status ParseColumn(TunedQuery& query, const core::Family& family, std::string_view name,
                         std::string_view value) {
  const std::size_t column = family.Find(name);
  if (column == core::kNoColumn || !family.columns[column].is_key()) return Unknown(family, name);
  core::Scratch scratch;
  const auto cell = core::CanonicalCell(family.columns[column], value, scratch);
  if (!cell.ok()) {
    return core::Error{"bad_parameter", fmt::format("{}: {}", name, cell.error().detail)};
  }
  const auto filter = std::find_if(query.columns.begin(), query.columns.end(),
                                   [&](const ColumnFilter& it) { return it.column == column; });
  if (filter != query.columns.end())
    filter->values.emplace_back(*cell);
  else
    query.columns.push_back({column, {std::string(*cell)}});
  return core::Ok();
}

// Returns the option of that name; null: the name belongs to a column, or is unknown. A version
// such as triton= filters runs, unless the family has a key column of that name. SGLang's families
// have one. An engine with a version ("vllm@0.11") filters runs in any family.
const TunedOption* OptionOf(const core::Family& family, std::string_view name,
                            std::string_view value) {
  const bool runs = name.starts_with(kOfRuns);
  const auto found = std::ranges::find(TunedOptions(), runs ? name.substr(kOfRuns.size()) : name,
                                       &TunedOption::name);
  const TunedOption* const option = found == TunedOptions().end() ? nullptr : &*found;
  if (option == nullptr || runs) return option != nullptr && option->of_runs ? option : nullptr;
  if (!option->of_runs || value.find('@') != std::string_view::npos) return option;
  const std::size_t column = family.Find(name);
  return column != core::kNoColumn && family.columns[column].is_key() ? nullptr : option;
}

}  // namespace

std::string TextOf(const core::Target& target) {
  const std::string name = target.gfx.empty() ? "*" : target.gfx;
  return target.cu_num > 0 ? fmt::format("{}:{}", name, target.cu_num) : name;
}

core::Result<TunedQuery> ParseTunedQuery(const core::Family& family, const core::Targets& targets,
                                         const Parameters& parameters) {
  TunedQuery query;
  Parameters rest = parameters;
  auto filters = ParseTargets(targets, rest);
  if (!filters.ok()) return filters.error();
  query.targets = *std::move(filters);
  for (const auto& [name, value] : rest) {
    const TunedOption* const option = OptionOf(family, name, value);
    // An option that occurs twice is ambiguous.
    const auto same = [&name = name](const auto& it) { return it.first == name; };
    if (option != nullptr && !option->repeats &&
        std::count_if(rest.begin(), rest.end(), same) > 1) {
      return ComesTwice(name);
    }
    const core::Status status = option != nullptr ? option->parse(query, option->name, value)
                                                  : ParseColumn(query, family, name, value);
    if (!status.ok()) return status.error();
  }
  if (const auto status = SettleDevices(query, family, targets.devices()); !status.ok())
    return status.error();
  if (const auto status = CheckTogether(query, family); !status.ok()) return status.error();
  query.canonical = CanonicalText(query);
  return query;
}

namespace {

bool MatchesColumns(const TunedRow& row, const TunedQuery& query, std::string& scratch) {
  return std::ranges::all_of(query.columns, [&](const auto& filter) {
    const std::string_view cell = core::CellOf(row.line, filter.column, scratch);
    return std::ranges::find(filter.values, cell) != filter.values.end();
  });
}

bool MatchesTarget(const TunedRow& row, const TunedQuery& query) {
  return query.targets.empty() || std::ranges::any_of(query.targets, [&](const auto& target) {
           return target.Includes(row.gfx, row.cu_num);
         });
}

}  // namespace

bool IsSelected(const TunedRow& row, const TunedQuery& query, std::string& scratch) {
  if (query.provider ? row.provider != *query.provider : !row.by_default()) return false;
  if (query.measured_only && row.standing == core::Standing::kUnmeasured) return false;
  if (query.tuned_only && row.baseline) return false;
  return MatchesTarget(row, query) && MatchesColumns(row, query, scratch);
}

bool IsAskedLibtype(const core::Family& family, const TunedQuery& query, const core::Cells& cells) {
  return query.libtypes.empty() ||
         std::ranges::find(query.libtypes, cells[family.libtype]) != query.libtypes.end();
}

bool HasKeyOf(const core::Family& family, const TunedRow& row, const TunedQuery& query,
              std::string& scratch) {
  // A device's target comes from devices.json, which may change. So the target is not a part of the
  // shape key.
  const bool target = family.device != core::kNoColumn || MatchesTarget(row, query);
  return target && MatchesColumns(row, query, scratch);
}

}  // namespace tunehub::server
