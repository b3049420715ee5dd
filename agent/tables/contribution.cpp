#include "agent/tables/contribution.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <ostream>
#include <set>
#include <sstream>

#include "agent/hub/http_client.h"
#include "agent/tables/input_family.h"

namespace tunehub::agent {
namespace {

// Arguments: model, GPUs, a line per file, replaced rows, a sentence about the tree's kernels,
// tests.
constexpr std::string_view kPullRequest = R"(# Tuned rows for {} on {}

| file | | new rows | faster rows |
|---|---|---:|---:|
{}
{}
`tunehub-agent contribute` checked:

* each faster row is measured, and at least 3 % faster than a measured row that it replaces
* AITER's merge of all files of each family finds no new key twice
* AITER's test of its tables finds nothing new: times above 0, at most 20 % wrong elements
* each file is read for its family, and a lookup can ask for every row
* {}

To check again: `tunehub-agent check --strict aiter/configs`
and `python3 op_tests/tuning_tests/test_csv_validation.py`. The kernels' own tests: {}.

The files do not say the ROCm version and the AITER commit of the measurement.
)";

// Prints the rows that replace slower rows, the largest speed-up first.
void PrintReplaced(std::ostream& out, const Contribution& contribution, std::string_view begin,
                   std::size_t most) {
  std::vector<std::pair<double, std::string>> lines;
  for (const ContributedFile& file : contribution.files) {
    for (const ContributedRow& it : file.rows) {
      if (it.line == 0) continue;
      const std::string key = KeyOfLine(*file.family, it.row.line);
      lines.emplace_back(
          it.Speedup(),
          it.before_us ? fmt::format("{} {}: {:g} us before, {:g} us after, {:.2f} times as fast",
                                     file.family->name, key, *it.before_us, it.row.us, it.Speedup())
                       : fmt::format("{} {}: not measured before, {:g} us after", file.family->name,
                                     key, it.row.us));
    }
  }
  std::ranges::stable_sort(lines, std::greater<>(), &std::pair<double, std::string>::first);
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
    out << begin << lines[i].second << '\n';
  }
  if (lines.size() > most) out << fmt::format("{}and {} more\n", begin, lines.size() - most);
}

}  // namespace

std::size_t ContributedFile::replaced() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const ContributedRow& it) { return it.line > 0; }));
}

void PrintContribution(std::ostream& out, const Contribution& contribution) {
  for (const std::string& warning : contribution.warnings) out << "warning: " << warning << '\n';
  std::map<std::string, std::vector<const LeftOut*>> codes;
  for (const LeftOut& it : contribution.left_out) codes[it.code].push_back(&it);
  constexpr std::size_t kFew = 5;
  for (const auto& [code, rows] : codes) {
    out << fmt::format("left out, {}: {}\n", code, rows.size());
    for (std::size_t i = 0; i < std::min(rows.size(), kFew); ++i) {
      out << fmt::format("  {} {}: {}\n", rows[i]->family, rows[i]->key, rows[i]->detail);
    }
    if (rows.size() > kFew)
      out << fmt::format("  and {} more; --json has all\n", rows.size() - kFew);
  }
  for (const ContributedFile& file : contribution.files) {
    const std::size_t replaced = file.replaced();
    out << fmt::format("{}: {} new rows{}{}\n", file.path, file.rows.size() - replaced,
                       replaced > 0 ? fmt::format(", {} faster rows", replaced) : "",
                       file.fresh ? ", a new file" : "");
  }
  PrintReplaced(out, contribution, "  ", kFew);
  if (contribution.files.empty()) out << "nothing new: the tree stays unchanged\n";
}

nlohmann::ordered_json ContributionJson(const Contribution& contribution) {
  using Json = nlohmann::ordered_json;
  Json json = {{"files", Json::array()}, {"left_out", Json::array()}};
  for (const ContributedFile& file : contribution.files) {
    Json rows = Json::array();
    for (const auto& [row, line, before_us] : file.rows) {
      rows.push_back({{"key", KeyOfLine(*file.family, row.line)},
                      {"us", row.us},
                      {"before_us", before_us ? Json(*before_us) : Json()},
                      {"replaces_line", line > 0 ? Json(line) : Json()},
                      {"line", row.line}});
    }
    json["files"].push_back({{"path", file.path},
                             {"new", file.fresh},
                             {"family", file.family->name},
                             {"rows", std::move(rows)}});
  }
  for (const LeftOut& it : contribution.left_out) {
    json["left_out"].push_back(
        {{"family", it.family}, {"key", it.key}, {"code", it.code}, {"detail", it.detail}});
  }
  json["warnings"] = contribution.warnings;
  return json;
}

std::string PullRequestText(const core::Targets& targets, const std::string& model,
                            const Contribution& contribution) {
  std::set<std::string> gpus, tests;
  std::string files;
  for (const ContributedFile& file : contribution.files) {
    const std::size_t replaced = file.replaced();
    tests.insert("`python3 " + file.family->op_test + "`");
    files += fmt::format("| `{}` | {} | {} | {} |\n", file.path, file.fresh ? "new" : "changes",
                         file.rows.size() - replaced, replaced);
    for (const auto& [row, line, before_us] : file.rows) {
      gpus.insert(targets.devices().TargetName(row.gfx, row.cu_num));
    }
  }
  constexpr std::size_t kMostReplaced = 40;  // a reviewer reads no more; the diff has all
  std::ostringstream replaced;
  PrintReplaced(replaced, contribution, "* ", kMostReplaced);
  if (replaced.str().empty()) replaced << "No row of these files is changed or removed.";
  return fmt::format(kPullRequest, model, fmt::join(gpus, ", "), files, replaced.str(),
                     contribution.has_kernels ? "the tree has, or can build, every row's kernel"
                                              : "not checked: the tree lists no kernels",
                     fmt::join(tests, ", "));
}

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

core::Result<OfferedRows> OfferOfTables(const Configuration& configuration,
                                        const std::vector<FamilyFiles>& tables) {
  std::map<const core::Family*, std::vector<core::SourceFile>> families;
  for (const FamilyFiles& group : tables) {
    for (const TreeFile& file : group.files) {
      families[group.family].push_back({file.name, file.bytes->view()});
    }
  }
  OfferedRows offer;
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

core::Result<OfferedRows> OfferOfHub(const Configuration& configuration, HubClient& hub,
                                     const RetryPolicy& retry, const Pauses& pauses,
                                     const std::vector<std::string>& named,
                                     const Parameters& filters) {
  for (const std::string& name : named) {
    if (auto known = configuration.families.Named(name); !known.ok()) return known.error();
  }
  OfferedRows offer;
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
