#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "agent/capture/capture.h"
#include "agent/capture/explanation.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

// The number of a family's groups that fit on a screen.
constexpr std::size_t kMostGroups = 10;

std::string HowOften(std::uint64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

std::string Range(std::int64_t from, std::int64_t to) {
  return from == to ? std::to_string(from) : fmt::format("{}-{}", from, to);
}

// The marks of the lines for which capture searches.
std::string Marks(const core::Families& families) {
  std::set<std::string> marks;
  for (const auto& family : families.all()) {
    for (const core::MissLine& line : family->misses) marks.insert(line.mark);
  }
  return core::Joined(marks, [](const std::string& mark) { return "'" + mark + "'"; });
}

// "2 files of configs were read": shows users if the engine uses their file.
std::string UsedFiles(const Explanation& explanation) {
  if (explanation.used.empty()) return "";
  return Counted(explanation.used.size(), "config file was", "config files were") + " read";
}

void PrintUsed(std::ostream& out, const Explanation& explanation) {
  if (!explanation.used.empty()) {
    out << '\n';
    PrintFiles(out, explanation.used, "read");
  }
  if (!explanation.used.empty() || !explanation.files.empty()) {
    PrintWrapped(
        out, "",
        "If your file is not listed here, the engine did not ask for its name, or this log "
        "has no lines of level INFO.");
  }
  if (explanation.remarks.empty()) return;
  out << '\n';
  PrintRemarks(out, explanation.remarks);
}

void PrintRead(std::ostream& out, const Configuration& configuration,
               const std::vector<std::string>& logs, const Explanation& explanation) {
  std::string name = logs.front() == "-" ? "standard input" : logs.front();
  if (logs.size() > 1) name = fmt::format("{} logs", logs.size());
  const core::MissCounts& counts = explanation.counts;
  if (counts.misses > 0) {
    out << fmt::format("{}: {} lines, {} of them misses:", name, counts.lines, counts.misses);
    if (!explanation.parts.empty()) {
      const bool only_aiter = std::ranges::none_of(explanation.parts, &FamilyPart::names_device);
      out << (only_aiter ? " AITER found no tuned row for " : " no tuned row was found for ")
          << Counted(explanation.shapes(), "shape", "shapes");
    }
    if (!explanation.files.empty()) {
      out << (explanation.parts.empty() ? "" : ",") << " "
          << Counted(explanation.files.size(), "config file was", "config files were")
          << " not found";
    }
    const std::string used = UsedFiles(explanation);
    out << (used.empty() ? "" : "; ") << used << '\n';
    return;
  }
  if (counts.lines == 0) {
    out << name << ": the log is empty\n";
    return;
  }
  out << fmt::format("{}: no miss in {} lines", name, counts.lines);
  if (!explanation.used.empty() && counts.fragments + counts.unread == 0) {
    out << ": " << UsedFiles(explanation) << '\n';
    return;
  }
  out << "\nSearched for lines that contain " << Marks(configuration.families) << ".\n";
  PrintNoMiss(out, counts);
}

constexpr std::string_view kFrom[] = {"", "as its lines say", "as --gfx says", "this host's"};

void PrintTarget(std::ostream& out, const Configuration& configuration,
                 const Explanation& explanation) {
  std::set<std::string> said;
  for (const FamilyPart& part : explanation.parts) {
    if (part.target.gfx.empty()) continue;
    const bool given = part.target == explanation.target.target;
    const auto from = given ? explanation.target.from : TargetFrom::kLog;
    const std::string text = Describe(configuration.targets, part.target);
    if (part.family->cu_num == core::kNoColumn || !said.insert(text).second) continue;
    out << "GPU: " << text << ", " << kFrom[static_cast<std::size_t>(from)] << '\n';
  }
  if (std::ranges::none_of(explanation.parts, &FamilyPart::LacksGpu)) return;
  std::string named, unnamed;  // named products come first
  for (const auto& [gfx, arch] : configuration.targets.archs()) {
    if (arch.default_cu_num == 0) continue;
    const std::string text = Describe(configuration.targets, {gfx, arch.default_cu_num});
    (text.ends_with(')') ? named : unnamed) += " " + text + ",";
  }
  std::string names = named + unnamed;
  if (!names.empty()) names.back() = '.';
  PrintWrapped(out, "",
               "GPU: unknown. Lines about GEMMs do not name it, and this host has no AMD GPU. "
               "Name it by --gfx:" +
                   names);
}

void PrintGroups(std::ostream& out, const FamilyPart& part, bool looked) {
  const std::string& size = part.family->columns[analysis::BucketColumn(*part.family)].name;
  out << fmt::format("  {:>6}  {:>6}{}  {:<12}  {}\n", "missed", "shapes", looked ? "  tuned" : "",
                     size, "of");
  for (std::size_t i = 0; i < std::min(part.groups.size(), kMostGroups); ++i) {
    const ShapeGroup& group = part.groups[i];
    out << fmt::format("  {:>6}  {:>6}", group.count, group.shapes.size());
    if (looked) out << fmt::format("  {:>5}", group.tuned);
    out << fmt::format("  {:<12}  ", Range(group.from, group.to));
    out << core::Assignments(group.columns) << '\n';
  }
  if (part.groups.size() <= kMostGroups) return;
  out << fmt::format("  and {} more; --all or --json lists every shape\n",
                     part.groups.size() - kMostGroups);
}

void PrintShapes(std::ostream& out, const FamilyPart& part, bool looked) {
  out << fmt::format("  {:>6}  {}of\n", "missed", looked ? "row                   us  " : "");
  for (const ExplainedShape& shape : part.shapes) {
    out << fmt::format("  {:>6}  ", shape.miss.count);
    if (looked) {
      const std::string us = shape.row ? fmt::format("{:.2f}", shape.row->us) : "";
      out << fmt::format("{:<10}  {:>12}  ", analysis::Name(shape.state), us);
    }
    std::vector<std::pair<std::string, std::string>> columns;
    for (std::size_t i = 0; i < shape.miss.cells.size(); ++i) {
      columns.emplace_back(part.family->untuned_columns[i], shape.miss.cells[i]);
    }
    out << core::Assignments(columns) << '\n';
  }
}

void PrintPart(std::ostream& out, const core::Targets& targets, const FamilyPart& part,
               const Explanation& explanation, bool all, bool several_targets) {
  const bool looked = explanation.looked() && !part.LacksGpu();
  out << '\n' << part.family->name;
  if (several_targets && !part.names_device()) {
    out << " on " << (part.LacksGpu() ? "a GPU that is not known" : Describe(targets, part.target));
  }
  out << fmt::format(": {}, missed {}", Counted(part.shapes.size(), "shape", "shapes"),
                     HowOften(part.count));
  if (looked) {
    out << fmt::format("; {} with a tuned row, {} without", part.tuned(),
                       part.shapes.size() - part.tuned());
  }
  out << '\n';
  (all ? PrintShapes : PrintGroups)(out, part, looked);
  if (explanation.looked()) PrintRows(out, targets, part);
}

using Json = nlohmann::ordered_json;

constexpr std::string_view kFromNames[] = {"", "log", "options", "host"};
constexpr std::string_view kDispatchNames[] = {"direct", "compiled_table", "name_registry"};

Json OrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json TargetJson(const core::Target& target) {
  return {{"gfx", OrNull(target.gfx)},
          {"cu_num", target.cu_num == 0 ? Json() : Json(target.cu_num)}};
}

Json MissedJson(const FamilyPart& part, const ExplainedShape& shape, bool looked) {
  Json cells = Json::object();
  for (std::size_t i = 0; i < shape.miss.cells.size(); ++i) {
    cells[part.family->untuned_columns[i]] = shape.miss.cells[i];
  }
  Json json = {{"shape", std::move(cells)}, {"count", shape.miss.count}};
  json["state"] = looked ? Json(analysis::Name(shape.state)) : Json();
  json["row"] = shape.row ? Json(shape.row->line) : Json();
  return json;
}

Json GroupsJson(const FamilyPart& part, bool looked) {
  Json groups = Json::array();
  for (const ShapeGroup& group : part.groups) {
    Json columns = Json::object();
    for (const auto& [name, value] : group.columns) columns[name] = value;
    Json json = {{"shape", std::move(columns)},
                 {"from", group.from},
                 {"to", group.to},
                 {"shapes", group.shapes.size()},
                 {"count", group.count}};
    json["tuned"] = looked ? Json(group.tuned) : Json();
    groups.push_back(std::move(json));
  }
  return groups;
}

Json NeedsJson(const FamilyPart& part) {
  Json needs = Json::array();
  for (const ModuleNeed& need : part.needs) {
    Json json = {{"module", nullptr}, {"dispatch", nullptr}, {"state", nullptr}};
    if (need.module != nullptr) {
      json["module"] = need.module->name;
      json["dispatch"] = kDispatchNames[static_cast<std::size_t>(need.module->dispatch)];
    }
    if (need.state) json["state"] = Name(*need.state);
    json["rows"] = need.rows;
    needs.push_back(std::move(json));
  }
  return needs;
}

Json PartJson(const FamilyPart& part, bool rows_known) {
  const bool looked = rows_known && !part.LacksGpu();
  Json json = {{"family", part.family->name}};
  json.update(TargetJson(part.target));
  json["shapes"] = part.shapes.size();
  json["count"] = part.count;
  json["tuned"] = looked ? Json(part.tuned()) : Json();
  for (const auto state :
       {analysis::State::kBaseline, analysis::State::kUnmeasured, analysis::State::kMissing}) {
    json[std::string(analysis::Name(state))] = looked ? Json(part.Of(state)) : Json();
  }
  json["to_tune"] = looked ? Json(part.to_tune) : Json();
  json["targets"] = Json::array();
  for (std::size_t i = 0; i < part.targets.size(); ++i) {
    Json target = TargetJson(part.targets[i].target);
    target["rows"] = part.targets[i].rows;
    if (i < part.tuned_on.size()) target["tuned"] = part.tuned_on[i];
    json["targets"].push_back(std::move(target));
  }
  json["needs"] = NeedsJson(part);
  json["groups"] = GroupsJson(part, looked);
  json["missed"] = core::Mapped(
      part.shapes, [&](const ExplainedShape& it) { return MissedJson(part, it, looked); });
  return json;
}

}  // namespace

void PrintExplanation(std::ostream& out, const Configuration& configuration,
                      const std::vector<std::string>& logs, const Explanation& explanation,
                      std::span<const NextStep> steps, bool all) {
  PrintRead(out, configuration, logs, explanation);
  PrintLost(out, explanation.counts, "misses");
  if (explanation.parts.empty() && explanation.files.empty()) return PrintUsed(out, explanation);
  if (!explanation.parts.empty()) PrintTarget(out, configuration, explanation);
  if (explanation.looked()) out << "Looked in: " << explanation.rows_from << '\n';
  std::set<std::string> targets;
  for (const FamilyPart& part : explanation.parts) targets.insert(Name(part.target));
  for (const FamilyPart& part : explanation.parts) {
    PrintPart(out, configuration.targets, part, explanation, all, targets.size() > 1);
  }
  PrintExplainedFiles(out, explanation.files, explanation.looked());
  PrintUsed(out, explanation);
  if (explanation.rows_from.empty()) {
    out << "\nNot checked: whether tuned rows exist. Use --hub URL, or --tables FILE... (tuned "
           "tables, or folders\nof them).\n";
  }
  for (const NextStep& step : steps) {
    out << '\n';
    PrintWrapped(out, "", step.why);
    for (const std::string& line : step.lines) PrintCommand(out, line);
  }
}

Json ExplanationJson(const Explanation& explanation, std::span<const NextStep> steps) {
  Json json = CountsJson(explanation.counts, "misses");
  json["target"] = TargetJson(explanation.target.target);
  json["target"]["from"] =
      OrNull(std::string(kFromNames[static_cast<std::size_t>(explanation.target.from)]));
  json["rows_from"] = OrNull(explanation.rows_from);
  json["families"] = core::Mapped(
      explanation.parts, [&](const FamilyPart& it) { return PartJson(it, explanation.looked()); });
  json["files"] = ExplainedFilesJson(explanation.files, explanation.looked());
  json["used"] = FilesJson(explanation.used);
  json["remarks"] = RemarksJson(explanation.remarks);
  json["next"] = core::Mapped(steps, [](const NextStep& it) {
    return Json{{"why", it.why}, {"commands", it.lines}};
  });
  json["error"] = nullptr;
  if (explanation.error) {
    json["error"] = {{"code", explanation.error->code}, {"detail", explanation.error->detail}};
  }
  return json;
}

}  // namespace tunehub::agent
