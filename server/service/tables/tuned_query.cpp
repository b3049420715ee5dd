#include "server/service/tables/tuned_query.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/excerpt.h"
#include "core/row/cell.h"
#include "server/service/registry/bad_parameter.h"
#include "server/service/tables/tuned_options.h"
#include "server/service/tables/tuned_query_rules.h"

namespace tunehub::service {
namespace {

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

core::Status ToProducts(std::vector<std::string>& names, const core::Devices& devices) {
  for (std::string& name : names) {
    if (devices.IsAmbiguous(name)) {
      return BadParameter("device", name, "is a name that several devices share: name a product");
    }
    const core::Device* const device = devices.Find(name);
    if (device == nullptr) {
      return BadParameter("device", name,
                          "is no product, alias or PCI id of configs/devices.json, such as MI325X");
    }
    name = device->product;
  }
  return core::Ok();
}

// Where the device is a column of the family, the query's devices become a filter of it: a product
// stands for all its aliases and another name for itself. Elsewhere they become the products whose
// runs are meant. Errors: bad_parameter, where nobody knows a name or several devices share it.
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
  return {"unknown_parameter", fmt::format("'{}' is no parameter of {}; its parameters are {}",
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

// The option that the name stands for; null: a column, or nothing. A version is asked of the runs,
// but where the family has a key column of its name, which comes first: SGLang's tables lie in a
// folder by Triton's version. An engine with a version is no column's value.
const TunedOption* OptionOf(const core::Family& family, std::string_view name,
                            std::string_view value) {
  const bool runs = name.starts_with(kOfRuns);
  const TunedOption* const option = FindTunedOption(runs ? name.substr(kOfRuns.size()) : name);
  if (option == nullptr || runs) return option != nullptr && option->of_runs ? option : nullptr;
  if (!option->of_runs || value.find('@') != std::string_view::npos) return option;
  const std::size_t column = family.Find(name);
  return column != core::kNoColumn && family.columns[column].is_key() ? nullptr : option;
}

}  // namespace

core::Result<TunedQuery> ParseTunedQuery(const core::Family& family, const core::Targets& targets,
                                         const Parameters& parameters) {
  TunedQuery query;
  Parameters rest = parameters;
  auto filters = ParseTargets(targets, rest);
  if (!filters.ok()) return filters.error();
  query.targets = *std::move(filters);
  for (const auto& [name, value] : rest) {
    const TunedOption* const option = OptionOf(family, name, value);
    // Where an option comes twice, nobody knows which is meant.
    const auto same = [&name = name](const auto& it) { return it.first == name; };
    if (option != nullptr && !option->repeats &&
        std::count_if(rest.begin(), rest.end(), same) > 1) {
      return core::Error{"bad_parameter", fmt::format("{}: comes twice", name)};
    }
    const core::Status status =
        option != nullptr ? option->parse(query, value) : ParseColumn(query, family, name, value);
    if (!status.ok()) return status.error();
  }
  if (const auto status = SettleDevices(query, family, targets.devices()); !status.ok())
    return status.error();
  if (const auto status = CheckTogether(query, family); !status.ok()) return status.error();
  query.canonical = CanonicalText(query);
  return query;
}

}  // namespace tunehub::service
