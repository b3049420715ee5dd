#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "agent/base/configuration.h"
#include "agent/base/provenance.h"
#include "agent/tables/input_family.h"
#include "agent/tune/commands.h"
#include "agent/tune/shape_rows.h"
#include "core/analysis/compare.h"
#include "core/analysis/statistics.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/table/csv.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Change;

// Empty on an error; the file is read again later, and that reading reports the error.
std::vector<std::string> HeaderOf(std::string_view csv) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  if (!reader.First(record).ok()) return {};
  return {record.fields.begin(), record.fields.end()};
}

bool Holds(const std::vector<std::string>& header, const std::string& column) {
  return std::ranges::find(header, column) != header.end();
}

// True for rows that need a family. Without a family, rows of several candidates would count as
// rows of one candidate.
bool SaysCandidate(const core::Families& families, const std::vector<std::string>& header) {
  return std::ranges::any_of(families.all(), [&](const auto& family) {
    return std::ranges::any_of(family->columns, [&](const core::Column& column) {
      return column.role == core::Role::kConfig && Holds(header, column.name);
    });
  });
}

// Returns null if the rows need no family, because a file has a column `kernel` or no file belongs
// to a family.
core::Result<const core::Family*> FamilyOfSides(const core::Families& families,
                                                const std::string& name,
                                                const core::SourceFile (&files)[2]) {
  if (!name.empty()) return families.Named(name);
  std::vector<core::SourceFile> of_families;
  for (const core::SourceFile& file : files) {
    const auto header = HeaderOf(file.text);
    if (Holds(header, "kernel")) return static_cast<const core::Family*>(nullptr);
    auto family = FamilyOf(families, "", file);
    if (family.ok()) of_families.push_back(file);
    if (!family.ok() && SaysCandidate(families, header)) return family;
  }
  if (of_families.empty()) return static_cast<const core::Family*>(nullptr);
  return CommonFamily(families, "", of_families);
}

struct ComparedSides {
  analysis::Side base, head;
  std::vector<std::string> remarks;
};

// Adds the facts of --golden-env and --new-env to the sides.
core::Status AddEnvironments(const CompareOptions& options, ComparedSides& sides) {
  for (const auto& [given, side] :
       {std::pair(&options.base_env, &sides.base), std::pair(&options.head_env, &sides.head)}) {
    const auto facts = FactsOf(*given);
    if (!facts.ok()) return facts.error();
    for (const auto& [name, value] : *facts) side->environment[name] = value;
  }
  return core::Ok();
}

// If one of the files has a family, reads both as tables of that family. Otherwise matches rows by
// their kernel and shape columns.
core::Result<ComparedSides> ReadSides(const CompareOptions& options) {
  const auto configuration = LoadConfiguration(options.configs);
  if (!configuration.ok()) return configuration.error();
  const core::Families& families = configuration->families;
  const ComparedFiles& files = options.files;
  const auto base = core::FileBytes::Read(files.base), head = core::FileBytes::Read(files.head);
  if (!base.ok()) return base.error();
  if (!head.ok()) return head.error();
  const core::SourceFile sources[] = {{files.base, base->view()}, {files.head, head->view()}};
  const auto family = FamilyOfSides(families, files.family, sources);
  if (!family.ok()) return family.error();
  ComparedSides sides;
  for (const core::SourceFile& source : sources) {
    analysis::Side& side = &source == &sources[0] ? sides.base : sides.head;
    if (*family != nullptr) {
      auto read = ReadSide(**family, source.name, source.text);
      if (!read.ok()) return read.error();
      side = *std::move(read);
      continue;
    }
    auto read = ReadShapeRows(families, source.name, source.text, files.unit);
    if (!read.ok()) return read.error();
    side = std::move(read->side);
    if (read->unread.empty()) continue;
    sides.remarks.push_back(
        fmt::format("{}: ignored these columns, which are not of a shape and not a time: {}",
                    source.name, fmt::join(read->unread, ", ")));
  }
  if (auto status = AddEnvironments(options, sides); !status.ok()) return status.error();
  return sides;
}

std::string UsText(const std::optional<analysis::Timed>& timed) {
  return timed ? fmt::format("{:.2f}", timed->us) : "-";
}

void PrintLine(const analysis::Compared& it, std::ostream& out) {
  const std::string speedup = it.base && it.head ? fmt::format("{:.3f}", it.speedup()) : "-";
  out << fmt::format("{:>12} {:>12} {:>8}  {:<20} {} {}\n", UsText(it.base), UsText(it.head),
                     speedup, Name(it.change), it.key.target, core::Assignments(it.key.shape()));
}

void PrintEnvironment(const char* name, const analysis::Environment& environment,
                      std::ostream& out) {
  out << name << ':';
  for (const auto& [member, value] : environment) out << ' ' << member << '=' << value;
  out << '\n';
}

void PrintText(const analysis::Comparison& comparison, std::ostream& out) {
  PrintEnvironment("base", comparison.base_environment, out);
  PrintEnvironment("head", comparison.head_environment, out);
  out << "environments: " << Text(comparison.environments) << '\n';
  out << "     base us      head us  speedup  change               target and shape\n";
  for (const analysis::Compared& it : comparison.keys) PrintLine(it, out);
  for (std::size_t i = 0; i < analysis::kChanges; ++i) {
    if (comparison.counts[i] == 0) continue;
    out << comparison.counts[i] << ' ' << Name(static_cast<Change>(i)) << ", ";
  }
  if (comparison.speedups.empty()) {
    out << "no time to compare\n";
  } else {
    out << fmt::format("geometric mean of {} speed-ups: {:.3f}\n", comparison.speedups.size(),
                       analysis::GeometricMean(comparison.speedups));
  }
}

}  // namespace

int CompareFiles(const CompareOptions& options, Console& console) {
  const auto sides = ReadSides(options);
  if (!sides.ok()) return Fail(console, "compare", sides.error());
  for (const std::string& remark : sides->remarks)
    console.err << "tunehub-agent compare: " << remark << '\n';
  const auto comparison = analysis::Compare(sides->base, sides->head, options.limits);
  if (!comparison.ok()) {
    return Fail(
        console, "compare",
        {comparison.error().code, fmt::format("{}, {}: {}", options.files.base, options.files.head,
                                              comparison.error().detail)});
  }
  if (!options.out.empty()) {
    std::string csv;
    for (const auto& [name, value] : analysis::FactsOf(*comparison))
      csv += fmt::format("# {}: {}\n", name, value);
    const auto written = core::WriteAtomically(options.out, csv + analysis::ToCsv(*comparison));
    if (!written.ok()) return Fail(console, "compare", written.error());
  }
  if (options.json) {
    console.out << analysis::ToJson(*comparison, options.limits).dump() << '\n';
  } else {
    PrintText(*comparison, console.out);
  }
  const bool regressed = options.fail_on_regress && comparison->Count(Change::kSlower) > 0;
  const std::size_t lost = comparison->lost();
  const bool gate = options.fail_on_regress && !options.no_fail_on_missing;
  const bool missing = (options.fail_on_missing || gate) && lost > 0;
  if (missing) {
    console.err << "tunehub-agent compare: " << lost << (lost == 1 ? " shape" : " shapes") << " of "
                << options.files.base << " without a time in " << options.files.head << '\n';
  }
  return regressed || missing ? kFinding : kGood;
}

int RunCompare(int argc, char** argv, Console& console) {
  CompareOptions options;
  cli::CommandLine line("Compares tables by shape. Reports speed-ups and slower shapes.",
                        "tunehub-agent compare");
  line.Add("GOLDEN", options.files.base,
           "the times before the change: a table of bench -o, a tuned table, a CSV with columns "
           "kernel,B,M,N,K,us, the output of a Triton bench, or a CSV with columns "
           "kernel,B,M,N,K,trace with one rocprofv3 trace per shape")
      .Required();
  line.Add("NEW", options.files.head, "a file of the same kind with the times after the change")
      .Required();
  line.Add("-o,--output,--out", options.out, "write a CSV with a line for every shape");
  line.AddFlag("--fail-on-regress", options.fail_on_regress, "exit with 1 if a shape is slower");
  const auto missing =
      line.AddFlag("--fail-on-missing", options.fail_on_missing,
                   "exit with 1 if a shape of GOLDEN is missing or has no time in NEW (us inf, 0 "
                   "or empty); --fail-on-regress implies this option");
  line.AddFlag("--no-fail-on-missing", options.no_fail_on_missing,
               "with --fail-on-regress: do not imply --fail-on-missing")
      .Excludes(missing);
  AddCompareLimits(line, options.limits, "golden",
                   "the number of rows that each kernel and shape must have");
  line.Add("--golden-env", options.base_env,
           "facts about GOLDEN: rocm=7.0.1, async_copy=1 ..., or a JSON file of them; if a fact "
           "differs, slower shapes are never dismissed as noise");
  line.Add("--new-env", options.head_env, "facts about NEW");
  line.Add("--family", options.files.family, "the family; default: found from the files");
  line.Add("--unit", options.files.unit, "the unit of times, if the column's name has no unit")
      .OneOf({"ns", "us", "ms", "s"});
  line.Add("--configs", options.configs, "folder with families/ and targets.json");
  line.AddFlag("--json", options.json, "report as JSON");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  return CompareFiles(options, console);
}

}  // namespace tunehub::agent
