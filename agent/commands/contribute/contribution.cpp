#include "agent/commands/contribute/contribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

// The model, the GPUs, a line for each file, whether the tree has the kernels.
constexpr std::string_view kPullRequest = R"(# Tuned rows for {} on {}

| file | | new rows |
|---|---|---:|
{}
No row of these files is changed or removed. `tunehub-agent contribute` checked:

* AITER's merge of all files of each family finds no new key twice
* AITER's test of its tables finds nothing new: times above 0, at most 20 % wrong elements
* each file is read for its family, and a lookup can ask for every row
* {}

To check again: `tunehub-agent check --strict aiter/configs`
and `python3 op_tests/tuning_tests/test_csv_validation.py`.

The files do not say the ROCm version and the AITER commit of the measurement.
)";

}  // namespace

std::string KeyOfLine(const core::Family& family, std::string_view line) {
  std::string scratch, text;
  const core::Cells cells = core::SplitLine(line, scratch);
  for (const std::size_t column : family.key_columns) {
    if (column >= cells.size() || cells[column].empty()) continue;
    text.append(text.empty() ? "" : " ").append(family.columns[column].name).append("=");
    text.append(cells[column]);
  }
  return text;
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
    out << fmt::format("{}: {} new rows{}\n", file.path, file.rows.size(),
                       file.fresh ? ", a new file" : "");
  }
  if (contribution.files.empty()) out << "nothing new: the tree stays as it is\n";
}

nlohmann::ordered_json ContributionJson(const Contribution& contribution) {
  using Json = nlohmann::ordered_json;
  Json json = {{"files", Json::array()}, {"left_out", Json::array()}};
  for (const ContributedFile& file : contribution.files) {
    Json rows = Json::array();
    for (const core::Row& row : file.rows) {
      rows.push_back(
          {{"key", KeyOfLine(*file.family, row.line)}, {"us", row.us}, {"line", row.line}});
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
  std::set<std::string> gpus;
  std::string files;
  for (const ContributedFile& file : contribution.files) {
    files += fmt::format("| `{}` | {} | {} |\n", file.path, file.fresh ? "new" : "grows",
                         file.rows.size());
    for (const core::Row& row : file.rows) {
      gpus.insert(targets.devices().TargetName(row.gfx, row.cu_num));
    }
  }
  return fmt::format(kPullRequest, model, fmt::join(gpus, ", "), files,
                     contribution.has_kernels ? "the tree has, or can build, every row's kernel"
                                              : "not checked: the tree tells of no kernels");
}

}  // namespace tunehub::agent
