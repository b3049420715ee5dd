#include <fmt/core.h>
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "agent/aiter/private_tree.h"
#include "agent/base/provenance.h"
#include "agent/engines/aiter_tuner.h"
#include "agent/hub/spool.h"
#include "agent/tune/commands.h"
#include "agent/tune/shape_rows.h"
#include "core/analysis/statistics.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/read_json.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

constexpr std::uint64_t kMostSize = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kSuiteSuffix = ".json";

void AddCases(core::JsonObject& object, std::vector<SuiteCase>& cases) {
  SuiteCase it{object.Text("name"), object.Text("script"), {}, ""};
  if (it.kernel.empty() || !core::HoldsOnly(it.kernel, "_"))
    object.Fail("name", fmt::format("'{}': expected a kernel's name", core::Excerpt(it.kernel)));
  const nlohmann::json* const shapes = object.Value("shapes");
  if (shapes == nullptr || !shapes->is_array()) return object.Fail("shapes", "must be an array");
  for (const nlohmann::json& shape : *shapes) {
    bool sound = shape.is_array() && shape.size() == it.shape.size();
    for (std::size_t i = 0; sound && i < it.shape.size(); ++i) {
      sound = shape[i].is_number_unsigned() && shape[i] >= 1U && shape[i] <= kMostSize;
      if (sound) it.shape[i] = shape[i].get<std::int64_t>();
    }
    if (!sound)
      object.Fail("shapes", fmt::format("{}: expected [B, M, N, K], whole numbers above 0",
                                        core::Excerpt(shape.dump())));
    it.key = fmt::format("{},{}", it.kernel, fmt::join(it.shape, ","));
    cases.push_back(it);
  }
  object.Finish();
}

core::Result<std::vector<SuiteCase>> ParseSuite(const std::string& file, std::string_view json) {
  core::JsonErrors errors(file, "bad_suite");
  const nlohmann::json document = core::ParseJson(json, errors);
  if (errors.any()) return errors.first();
  core::JsonObject root(document, "", errors);
  root.Text("about", "");
  root.Text("source", "");
  std::vector<SuiteCase> cases;
  for (core::JsonObject& object : root.Objects("kernels")) AddCases(object, cases);
  root.Finish();
  if (cases.empty()) errors.Add("", "expected at least one kernel with a shape");
  if (errors.any()) return errors.first();
  return cases;
}

constexpr char kSearchPath[] = "PYTHONPATH";
constexpr char kVersionProgram[] = "import platform; print(platform.python_version())";
// A fact that must match the interpreter or the driver. If the interpreter lacks a package, every
// version of the package in the facts is wrong. If the driver lists no GPU, facts about the GPU are
// not checked.
struct HeldFact {
  const char* name;
  bool is_of_interpreter;
};
constexpr HeldFact kHeldAgainst[] = {{"python_version", true}, {"pytorch", true},
                                     {"triton", true},         {"gfx", false},
                                     {"cu_num", false},        {"timing", false}};
constexpr std::string_view kKeyColumns = "kernel,B,M,N,K";
constexpr char kStarted[] = "started", kTimesOfBenches[] = "triton_bench";

std::string Said(const analysis::Environment& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "not given" : fmt::format("'{}'", core::Excerpt(found->second));
}

// Returns versions that the interpreter reports. AITER's commit is the commit of the checkout, not
// of the installed package.
analysis::Environment FactsSeen(const std::string& python, const std::filesystem::path& aiter) {
  analysis::Environment seen;
  if (std::string version = AskPython(python, kVersionProgram); !version.empty())
    seen["python_version"] = std::move(version);
  for (const std::string& it : PythonToolchain(python))
    seen[it.substr(0, it.find('='))] = it.substr(it.find('=') + 1);
  seen.erase("aiter");
  if (std::string commit = CommitOf(aiter); !commit.empty()) seen["aiter"] = std::move(commit);
  return seen;
}

core::Status AddSeen(const std::string& file, const std::filesystem::path& aiter,
                     analysis::Environment host, SuiteSide& side) {
  analysis::Environment seen = FactsSeen(side.python, aiter);
  if (!seen.contains("python_version"))
    return core::Error{"no_python",
                       fmt::format("{}: cannot run the fact 'python', '{}'", file, side.python)};
  seen.merge(host);
  for (const auto& [name, is_of_interpreter] : kHeldAgainst) {
    const auto stated = side.facts.find(name), known = seen.find(name);
    if (stated == side.facts.end() || (known == seen.end() && !is_of_interpreter)) continue;
    // "3.4.0" also allows "3.4.0+rocm7.0".
    const std::string says = known == seen.end() ? "" : known->second;
    if (says == stated->second || says.starts_with(stated->second + "+")) continue;
    return core::Error{
        "other_version",
        fmt::format("{}: the fact {} is {}, but '{}' {}", file, name, Said(side.facts, name), says,
                    is_of_interpreter ? "in " + side.python : "here")};
  }
  side.facts.merge(seen);
  return core::Ok();
}

core::Status Resume(const core::Families& families, SuiteSide& side) {
  std::error_code error;
  const std::string file = side.file.string();
  if (!std::filesystem::exists(file, error)) return core::Ok();
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return bytes.error();
  const auto read = ReadShapeRows(families, file, bytes->view(), "us");
  if (!read.ok()) return read.error();
  const analysis::Environment& before = read->side.environment;
  const auto differing = analysis::CompareEnvironments(before, side.facts).differing;
  if (!differing.empty()) {
    return core::Error{
        "other_facts",
        fmt::format("{}: {} was {} and is {} now; use another -o", file, differing.front(),
                    Said(before, differing.front()), Said(side.facts, differing.front()))};
  }
  if (const auto started = before.find(kStarted); started != before.end())
    side.facts[kStarted] = started->second;
  for (const analysis::CandidateTimes& it : read->side.timings()) {
    if (it.key.columns != kKeyColumns || !it.key.target.empty())
      return core::Error{"bad_header",
                         fmt::format("{}: expected rows with the columns {}", file, kKeyColumns)};
    side.us.emplace(it.key.cells, it.runs);
  }
  return core::Ok();
}

void AddVariables(const std::filesystem::path& aiter, SuiteSide& side) {
  side.variables[kSearchPath] = core::Environment(kSearchPath);
  for (const auto& [fact, value] : side.facts) {
    if (fact.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == fact.npos)
      side.variables[fact] = value;
  }
  std::string& searched = side.variables[kSearchPath];
  searched = aiter.string() + (searched.empty() ? "" : ":" + searched);
}

}  // namespace

core::Result<std::vector<SuiteCase>> LoadSuite(const core::TextFolder& suites,
                                               const std::string& name) {
  if (name.find('/') != name.npos || name.ends_with(kSuiteSuffix)) {
    const auto bytes = core::FileBytes::Read(name);
    if (!bytes.ok()) return bytes.error();
    return ParseSuite(name, bytes->view());
  }
  const std::string file = name + std::string(kSuiteSuffix);
  if (const auto text = suites.Read(file)) return ParseSuite(suites.PlaceOf(file), *text);
  return core::Error{
      "unknown_suite",
      fmt::format("found no suite '{}' in {} (a path must contain '/' or end with {})",
                  core::Excerpt(name), suites.place(), kSuiteSuffix)};
}

core::Status SuiteSide::Save() const {
  std::string text;
  for (const auto& [fact, value] : facts) text += fmt::format("# {}: {}\n", fact, value);
  text.append(kKeyColumns).append(",us\n");
  for (const auto& [key, runs] : us) {
    for (const double run : runs) text += fmt::format("{},{:.4f}\n", key, run);
  }
  return core::WriteAtomically(file, text);
}

core::Result<std::string> SpoolSuiteSide(const core::Families& families, const SuiteSide& side,
                                         Outbox& outbox) {
  const core::Family* family = families.Find(kTimesOfBenches);
  if (family == nullptr)
    return core::Error{"unknown_family",
                       fmt::format("--configs: its families/ has no family {}", kTimesOfBenches)};
  std::vector<std::string> members;
  for (const auto& [fact, value] : side.facts) {
    if (fact == kStarted || !analysis::IsNoFact(fact)) members.push_back(RunMember(fact, value));
  }
  auto provenance = ProvenanceOf(members, "");
  if (!provenance.ok()) return provenance.error();
  std::string csv = fmt::format("engine,gfx,cu_num,{},us\n", kKeyColumns);
  for (const auto& [key, runs] : side.us) {
    csv += fmt::format("aiter,{},{},{},{:.4f}\n", side.facts.at("gfx"), side.facts.at("cu_num"),
                       key, analysis::Settle(runs)->us);
  }
  BatchHeader header;
  header.key = core::HashOf(csv + provenance->dump()).Uuid();
  header.family = family->name;
  header.file = side.file.string();
  header.created = core::UtcText(std::chrono::system_clock::now());
  header.new_run = NewRun{header.key, *std::move(provenance)};
  if (auto status = outbox.Add(header, csv); !status.ok()) return status.error();
  return header.key;
}

core::Result<SuiteSide> OpenSuiteSide(const core::Families& families,
                                      const std::string& environment,
                                      const std::filesystem::path& folder,
                                      const std::filesystem::path& aiter,
                                      analysis::Environment host) {
  const auto bytes = core::FileBytes::Read(environment);
  if (!bytes.ok()) return bytes.error();
  auto facts = analysis::ParseEnvironment(environment, bytes->view());
  if (!facts.ok()) return facts.error();
  SuiteSide side;
  side.name = std::filesystem::path(environment).stem().string();
  side.file = folder / (side.name + ".csv");
  // Trimmed, because Resume() reads trimmed values back from the file.
  for (const auto& [name, value] : *facts) side.facts[name] = core::Trim(value);
  side.facts[kStarted] = core::UtcText(std::chrono::system_clock::now());
  side.python = side.facts["python"];
  if (side.python.empty())
    return core::Error{"bad_environment",
                       environment + ": the fact 'python', the interpreter, is missing"};
  if (side.python.find('/') != std::string::npos)
    side.python = std::filesystem::absolute(side.python).string();
  auto status = AddSeen(environment, aiter, std::move(host), side);
  if (status.ok()) status = Resume(families, side);
  if (!status.ok()) return status.error();
  AddVariables(aiter, side);
  return side;
}

}  // namespace tunehub::agent
