#include "agent/commands/contribute/pull_request_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "agent/commands/explain/log_target.h"
#include "core/analysis/statistics.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

// Members of a run that are of the cluster, or are said elsewhere.
constexpr std::array<std::string_view, 6> kPrivate = {"host",    "campaign", "note",
                                                      "started", "finished", "provider"};
constexpr std::array<std::string_view, 4> kOfMeasuring = {"tuner", "arguments", "agent",
                                                          "error_limit"};
constexpr std::array<std::string_view, 6> kOfDevice = {"gpu",    "gfx",       "cu_num",
                                                       "pci_id", "partition", "power_limit"};

template <std::size_t N>
bool IsIn(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string WordOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// What a run says, from POST /runs or from GET /runs/{id}.
const Json& FactsOf(const Json& run) {
  const auto found = run.find("provenance");
  return found != run.end() && found->is_object() ? *found : run;
}

// "a, b: ..." of all runs, each value once.
std::string FactLines(std::span<const Json> runs, const std::function<bool(std::string_view)>& of) {
  std::vector<std::pair<std::string, std::vector<std::string>>> facts;
  for (const Json& run : runs) {
    for (const auto& [name, value] : FactsOf(run).items()) {
      const bool kept = !value.is_null() && !value.is_structured() && !IsIn(kPrivate, name);
      if (!kept || !of(name)) continue;
      auto fact = std::ranges::find(facts, name, [](const auto& it) { return it.first; });
      if (fact == facts.end()) fact = facts.insert(facts.end(), {name, {}});
      const std::string word = WordOf(value);
      if (std::ranges::count(fact->second, word) == 0) fact->second.push_back(word);
    }
  }
  std::string lines;
  for (const auto& [name, words] : facts) {
    lines += fmt::format("* {}: {}\n", name, fmt::join(words, "; "));
  }
  return lines;
}

std::string Section(std::string_view title, const std::string& text, std::string_view absent) {
  return fmt::format("\n## {}\n\n{}", title, text.empty() ? fmt::format("{}\n", absent) : text);
}

// The targets, or the devices where rows name one.
std::set<std::string> DevicesOf(const core::Targets& targets, const Contribution& contribution) {
  std::set<std::string> devices;
  for (const ContributedFile& file : contribution.files) {
    const core::Family& family = *file.family;
    const std::size_t named = family.Find("device");
    for (const OfferedRow& row : file.rows) {
      std::string scratch;
      const core::Cells cells = core::SplitLine(row.line, scratch);
      if (named != core::kNoColumn) {
        devices.insert(cells[named].empty() ? "a device without a name"
                                            : std::string(cells[named]));
        continue;
      }
      if (family.gfx == core::kNoColumn) continue;
      core::Target target{std::string(cells[family.gfx]), 0};
      if (family.cu_num != core::kNoColumn) {
        target.cu_num = core::ParseInt(cells[family.cu_num]).value_or(0);
      }
      devices.insert(Describe(targets, target));
    }
  }
  return devices;
}

std::string FilesText(const Contribution& contribution) {
  std::string text = "| file | | new rows | of |\n|---|---|---:|---|\n";
  for (const ContributedFile& file : contribution.files) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", file.path, file.fresh ? "new" : "grows",
                        file.rows.size(), file.family->title);
  }
  return text;
}

std::string SummaryText(const Contribution& contribution) {
  std::string text;
  for (const ContributedFile& file : contribution.files) {
    std::vector<double> ratios;
    for (const OfferedRow& row : file.rows) {
      if (row.before_us && row.us > 0) ratios.push_back(*row.before_us / row.us);
    }
    if (ratios.empty()) {
      text += fmt::format("`{}`: how fast it was before is not known.\n", file.path);
      continue;
    }
    const auto [least, most] = std::ranges::minmax_element(ratios);
    text += fmt::format("`{}`: {:.2f} times as fast (geometric mean; {:.2f} to {:.2f})", file.path,
                        analysis::GeometricMean(ratios), *least, *most);
    const std::size_t unknown = file.rows.size() - ratios.size();
    text += unknown == 0
                ? fmt::format(" over {} rows.\n", ratios.size())
                : fmt::format(" over {} rows; how fast {} others were before is not known.\n",
                              ratios.size(), unknown);
  }
  return text;
}

std::string RowsText(const Contribution& contribution) {
  std::string text = "\n| key | before, us | after, us | times as fast |\n|---|---:|---:|---:|\n";
  std::size_t listed = 0;
  for (const ContributedFile& file : contribution.files) {
    for (const OfferedRow& row : file.rows) {
      if (++listed > kMostListedRows) continue;
      const bool timed = row.us > 0;
      const bool known = row.before_us && timed;
      text += fmt::format("| {} | {} | {} | {} |\n", KeyOfLine(*file.family, row.line),
                          row.before_us ? fmt::format("{:.2f}", *row.before_us) : "not known",
                          timed ? fmt::format("{:.2f}", row.us) : "not measured",
                          known ? fmt::format("{:.2f}", *row.before_us / row.us) : "");
    }
  }
  if (listed > kMostListedRows) {
    text += fmt::format("\nand {} rows more, in the files.\n", listed - kMostListedRows);
  }
  return text;
}

std::string NotesText(const Contribution& contribution) {
  std::string text;
  for (const ContributedFile& file : contribution.files) {
    for (const std::string& note : file.notes) text += fmt::format("* `{}`: {}\n", file.path, note);
  }
  return text.empty() ? "" : "\n" + text;
}

std::string LeftOutText(const Contribution& contribution) {
  std::map<std::string, std::pair<std::size_t, const LeftOut*>> codes;
  for (const LeftOut& it : contribution.left_out) {
    auto& [count, first] = codes[it.code];
    if (count++ == 0) first = &it;
  }
  std::string text;
  for (const auto& [code, it] : codes) {
    text += fmt::format("* {} x {}; the first: {}: {}\n", it.first, code, it.second->key,
                        it.second->detail);
  }
  return text;
}

}  // namespace

std::string PullRequestText(const core::Targets& targets, std::string_view model,
                            const Contribution& contribution, std::span<const Json> runs) {
  const auto devices = DevicesOf(targets, contribution);
  std::string text = fmt::format("# Tuned configurations for {} on {}\n\n{}", model,
                                 fmt::join(devices, ", "), FilesText(contribution));
  text += Section("Before and after",
                  SummaryText(contribution) + RowsText(contribution) + NotesText(contribution), "");
  std::string device;
  for (const std::string& name : devices) device += fmt::format("* {}\n", name);
  device += FactLines(runs, [](std::string_view name) { return IsIn(kOfDevice, name); });
  text += Section("Device", device, "not recorded");
  text += Section("Toolchain",
                  FactLines(runs,
                            [](std::string_view name) {
                              return !IsIn(kOfDevice, name) && !IsIn(kOfMeasuring, name) &&
                                     name != "id" && name != "hash";
                            }),
                  "Nobody recorded it.");
  text += Section("How it was measured",
                  FactLines(runs, [](std::string_view name) { return IsIn(kOfMeasuring, name); }),
                  "Nobody recorded it.");
  std::string checked;
  for (const std::string& guard : contribution.checked) checked += fmt::format("* {}\n", guard);
  text += Section("Checked", checked, "nothing");
  const std::string left_out = LeftOutText(contribution);
  if (!left_out.empty()) text += Section("Left out", left_out, "");
  return text;
}

}  // namespace tunehub::agent
