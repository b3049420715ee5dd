#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "agent/commands/contribute/contribution.h"
#include "agent/commands/tables/input_family.h"
#include "agent/hub/get_body.h"
#include "core/merge/merge.h"

namespace tunehub::agent {

core::Result<std::vector<FamilyFiles>> ReadTables(const core::Families& families,
                                                  const std::string& family,
                                                  const std::vector<std::string>& paths) {
  std::vector<FamilyFiles> groups;
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      const auto tree = ReadTableFolder(families, path);
      if (!tree.ok()) return tree.error();
      groups.insert(groups.end(), tree->families.begin(), tree->families.end());
    } else {
      groups.push_back({nullptr, {{path, path}}});
    }
  }
  for (FamilyFiles& group : groups) {
    for (TreeFile& file : group.files) {
      auto bytes = core::FileBytes::Read(file.path);
      if (!bytes.ok()) return bytes.error();
      file.name = file.path.string();
      file.bytes = std::make_shared<core::FileBytes>(*std::move(bytes));
      if (group.family != nullptr) continue;
      const auto found = FamilyOf(families, family, {file.name, file.bytes->view()});
      if (!found.ok()) return found.error();
      group.family = *found;
    }
  }
  return groups;
}

core::Result<Offer> OfferOfTables(const Configuration& configuration,
                                  const std::vector<FamilyFiles>& tables) {
  std::map<const core::Family*, std::vector<core::SourceFile>> families;
  for (const FamilyFiles& group : tables) {
    for (const TreeFile& file : group.files) {
      families[group.family].push_back({file.name, file.bytes->view()});
    }
  }
  Offer offer;
  for (const auto& [family, sources] : families) {
    const auto merged = core::MergeTables(*family, configuration.targets, sources);
    if (!merged.ok()) return merged.error();
    for (const core::FileIssues& file : merged->issues) {
      for (const auto* issues : {&file.rejected, &file.quarantined}) {
        for (const core::RowIssue& it : *issues) {
          const std::string place = fmt::format("{}:{}", sources[file.file].name, it.line);
          offer.left_out.push_back({family->name, place, it.code, it.detail});
        }
      }
    }
    const std::string csv = merged->Csv();
    auto table = core::ReadTunedTable(*family, configuration.targets, csv);
    if (!table.ok()) return table.error();
    offer.rows.emplace_back(family, std::move(table->rows));
  }
  return offer;
}

core::Result<Offer> OfferOfHub(const Configuration& configuration, HubClient& hub,
                               const RetryPolicy& retry, const Pauses& pauses,
                               const std::vector<std::string>& named, const Parameters& filters) {
  for (const std::string& name : named) {
    if (auto known = configuration.families.Named(name); !known.ok()) return known.error();
  }
  Offer offer;
  for (const auto& family : configuration.families.all()) {
    const bool asked = named.empty() ? !family->env.empty() && family->objective != core::kNoColumn
                                     : std::ranges::count(named, family->name) > 0;
    if (!asked) continue;
    Parameters parameters = {{"provider", "aiter"}, {"measured", "tuned"}, {"allow_empty", "1"}};
    std::ranges::copy_if(filters, std::back_inserter(parameters), [&](const auto& it) {
      return it.first != "cu_num" || family->cu_num != core::kNoColumn;
    });
    const auto csv = GetBody(hub, "/tuned/" + family->name, parameters, retry, pauses);
    if (!csv.ok()) {
      const std::string& code = csv.error().code;
      if (named.empty() && (code == "no_products" || code == "unsupported_family")) continue;
      return csv.error();
    }
    auto table = core::ReadTunedTable(*family, configuration.targets, *csv);
    if (!table.ok()) return table.error();
    offer.rows.emplace_back(family.get(), std::move(table->rows));
  }
  return offer;
}

}  // namespace tunehub::agent
