#include "server/service/tables/file_query_parts.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "core/base/excerpt.h"
#include "server/service/registry/bad_parameter.h"
#include "server/service/tables/tuned_options.h"
#include "server/service/tables/tuned_query_rules.h"

namespace tunehub::service {
namespace {

// Options that make another table of the rows, or are of AITER's builds: a file has no such thing.
constexpr std::string_view kOfTables[] = {"columns", "format", "allow_empty", "libtype",
                                          "prune",   "model",  "tp",          "require",
                                          "build",   "fill",   "provider",    "max_err"};

bool IsOfTables(std::string_view name) {
  return std::ranges::find(kOfTables, name) != std::end(kOfTables);
}

// What a file takes: the options that choose among rows, and what is the files' own.
core::Status CheckNames(const core::Family& family, const Parameters& parameters) {
  std::vector<std::string> allowed = {"from", "borrow"};
  for (const TunedOption& option : TunedOptions()) {
    if (!IsOfTables(option.name)) allowed.emplace_back(option.name);
    if (option.of_runs) allowed.push_back(fmt::format("{}{}", kOfRuns, option.name));
  }
  if (family.gfx != core::kNoColumn) allowed.insert(allowed.end(), {"gfx", "gpu_archs"});
  for (const std::size_t column : family.key_columns) {
    if (family.columns[column].is_shape() && column != family.engine) {
      allowed.push_back(family.columns[column].name);
    }
  }
  for (const auto& [name, value] : parameters) {
    if (std::ranges::find(allowed, name) != allowed.end()) continue;
    return core::Error{"unknown_parameter",
                       fmt::format("'{}' is no parameter of {}'s files; their parameters are: {}",
                                   core::Excerpt(name), family.name, fmt::join(allowed, ", "))};
  }
  return core::Ok();
}

// Filters of the family by the file's own cells, but for what may be borrowed.
void AddFilters(const core::Family& family, const FileForm& form, TunedQuery& query) {
  for (const auto& [column, value] : form.cells) {
    const bool open = (column == family.engine && !form.from.empty()) ||
                      (column == family.device && !form.siblings.empty()) ||
                      (column == form.version_column && !form.from.empty());
    if (open) continue;
    if (family.columns[column].role == core::Role::kTarget) {
      query.targets.push_back({value, std::nullopt});
    } else {
      query.columns.push_back({column, {value}});
    }
  }
}

}  // namespace

core::Result<std::string> Take(Parameters& parameters, std::string_view name) {
  const auto named = [&](const auto& it) { return it.first == name; };
  const auto found = std::ranges::find_if(parameters, named);
  if (found == parameters.end()) return std::string();
  if (std::ranges::count_if(parameters, named) > 1) {
    return core::Error{"bad_parameter", fmt::format("{}: comes twice", name)};
  }
  std::string value = std::move(found->second);
  parameters.erase(found);
  return value;
}

core::Result<Loan> TakeLoan(const core::Reader& reader, const core::Family& family,
                            Parameters& parameters) {
  auto from = Take(parameters, "from");
  if (!from.ok()) return from.error();
  const auto borrow = Take(parameters, "borrow");
  if (!borrow.ok()) return borrow.error();
  if (!borrow->empty() && *borrow != "sibling") return NotAllowed("borrow", *borrow, "sibling");
  if (!borrow->empty() && family.device == core::kNoColumn) {
    return core::Error{
        "bad_parameter",
        fmt::format("borrow: rows of {} are of an architecture, not of a device", family.name)};
  }
  const auto& engines = family.columns[family.engine].values;
  if (!from->empty() &&
      (*from == reader.engine || std::ranges::find(engines, *from) == engines.end())) {
    std::string others;
    for (const std::string& engine : engines) {
      if (engine != reader.engine) others += (others.empty() ? "" : " or ") + engine;
    }
    return others.empty()
               ? core::Error{"bad_parameter", fmt::format("from: no other engine than {} has rows "
                                                          "of {}",
                                                          reader.engine, family.name)}
               : NotAllowed("from", *from, others);
  }
  return Loan{*std::move(from), !borrow->empty()};
}

void NameDevices(const core::Devices& devices, std::string_view name, bool siblings,
                 FileForm& form) {
  const core::Device* const device = devices.Find(name);
  if (device == nullptr || !devices.IsProduct(name)) form.devices.emplace_back(name);
  if (device == nullptr) return;
  if (devices.IsProduct(name)) {
    for (const core::DeviceName& alias : device->aliases) form.devices.push_back(alias.name);
    if (form.devices.empty()) form.devices.emplace_back(name);
  }
  if (!siblings) return;
  const auto add = [&](const core::Device& of) {
    for (const core::DeviceName& alias : of.aliases) form.siblings.push_back(alias.name);
  };
  add(*device);  // its other names
  for (const core::Device* const sibling : devices.Siblings(*device)) add(*sibling);
}

core::Result<FileQuery> QueryOfForm(const Definitions& definitions, FileForm form,
                                    const Parameters& parameters) {
  const core::Family& family = *form.store->family;
  if (core::Status status = CheckNames(family, parameters); !status.ok()) return status.error();
  auto query = ParseTunedQuery(family, definitions.targets, parameters);
  if (!query.ok()) return query.error();
  AddFilters(family, form, *query);
  const bool tree = form.tree();
  query->form = std::make_shared<const FileForm>(std::move(form));
  query->canonical = CanonicalText(*query);
  return FileQuery{&family, *std::move(query), tree};
}

}  // namespace tunehub::service
