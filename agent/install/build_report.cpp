#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command.h"
#include "agent/hub/http_client.h"
#include "agent/install/commands.h"
#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/target.h"

namespace tunehub::agent {
namespace {

constexpr std::size_t kShortCommit = 12;
constexpr std::size_t kMaxVersionInName = 60;

core::Result<std::string> PutManifest(HubClient& hub, const RetryPolicy& retry,
                                      const Pauses& pauses, const std::string& name,
                                      const core::Manifest& manifest) {
  const Request request{"PUT", "/builds/" + name, {{"Content-Type", "text/csv"}}, manifest.Text()};
  const auto answer = SendWithRetries(hub, request, retry, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status != 200 && answer->status != 201) return ToError(ProblemOf(*answer));
  const auto json = core::ReadJson(answer->body);
  if (json.is_object() && json.contains("build") && json["build"].is_string()) {
    return json["build"].get<std::string>();
  }
  return core::Error{"bad_answer", "the hub stored the manifest but returned no digest"};
}

// Returns "aiter-0.1.14", or a name with the commit. Returns "aiter" if the tree has neither
// version nor commit.
std::string DefaultBuildName(const core::Manifest& manifest) {
  const auto& versions = manifest.versions();
  std::string version;
  if (const auto aiter = versions.find("aiter"); aiter != versions.end()) {
    version = aiter->second.substr(0, kMaxVersionInName);
  } else if (const auto commit = versions.find("aiter-commit"); commit != versions.end()) {
    version = commit->second.substr(0, kShortCommit);
  }
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  std::ranges::replace_if(version, std::not_fn(plain), '-');
  return version.empty() ? "aiter" : "aiter-" + version;
}

constexpr std::array<const char*, core::kRowStates> kHeaders = {
    "tunehub-build-effective", "tunehub-build-after-rebuild", "tunehub-build-raises-until-rebuild",
    "tunehub-build-impossible"};
// The beginning of a line about a module's rows, by state.
constexpr std::array<const char*, core::kRowStates> kPhrases = {
    "effective in ", "without effect, but harmless, until a rebuild of ",
    "not served, because AITER raises an error until a rebuild of ",
    "not served, because this build cannot run them, in "};

std::size_t NumberOf(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "bf16/asm:impossible=12"; skips other forms.
void AddModule(std::string_view text, std::vector<ModuleRows>& modules) {
  const std::size_t slash = text.find('/'), colon = text.find(':'), equals = text.find('=');
  if (slash == text.npos || colon == text.npos || equals == text.npos) return;
  if (slash > colon || colon > equals) return;
  modules.push_back(
      {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1, colon - slash - 1)),
       std::string(text.substr(colon + 1, equals - colon - 1)), NumberOf(text.substr(equals + 1))});
}

std::vector<ModuleRows> ReadModules(std::string_view list) {
  std::vector<ModuleRows> modules;
  for (const std::string_view text : core::SplitAt(list, ", ")) AddModule(text, modules);
  return modules;
}

std::string PlaceOf(const std::string& module, const std::vector<AbsentModule>& absent) {
  const auto found = std::ranges::find(absent, module, &AbsentModule::module);
  return found == absent.end() ? "" : fmt::format(" (this tree has no files in {})", found->place);
}

// "12 rows: harmless, and effective after rebuilding gemm_a8w8: a8w8 12"
void PrintState(const BuildReport& report, core::RowState state,
                const std::vector<AbsentModule>& absent, const std::string& who,
                std::ostream& err) {
  std::vector<std::string> names;
  for (const ModuleRows& it : report.modules) {
    const bool known = std::ranges::find(names, it.module) != names.end();
    if (it.state == Name(state) && !known) names.push_back(it.module);
  }
  for (const std::string& name : names) {
    std::size_t rows = 0;
    std::string families;
    for (const ModuleRows& it : report.modules) {
      if (it.state != Name(state) || it.module != name) continue;
      rows += it.rows;
      families += fmt::format("{}{} {}", families.empty() ? "" : ", ", it.family, it.rows);
    }
    err << who << ":   " << rows << " rows: " << kPhrases.at(static_cast<std::size_t>(state))
        << (name == "-" ? "any module that is known" : name)
        << (state == core::RowState::kImpossible ? PlaceOf(name, absent) : "") << ": " << families
        << '\n';
  }
}

constexpr const char* kManifest = "tunehub-agent manifest";

void ReportManifest(const ManifestOptions& options, const BuildScan& scan, const std::string& sent,
                    std::ostream& out) {
  const core::Manifest& manifest = scan.manifest;
  if (options.json) {
    nlohmann::ordered_json report = {
        {"kind", Name(manifest.kind())},       {"sha256", manifest.Sha256()},
        {"versions", manifest.versions()},     {"kernels", manifest.kernels().size()},
        {"modules", manifest.CountByModule()}, {"unread", scan.unread}};
    if (!options.output.empty()) report["file"] = options.output;
    if (!sent.empty()) report["build"] = sent;
    out << report.dump(2) << '\n';
    return;
  }
  if (!options.output.empty()) out << options.output << ": ";
  out << manifest.kernels().size() << " kernels, " << Name(manifest.kind()) << ":";
  for (const auto& [module, count] : manifest.CountByModule()) {
    out << ' ' << module << ' ' << count;
  }
  out << '\n';
  if (!sent.empty()) out << "build=" << sent << '\n';
}

core::Status ReadKind(const std::string& text, ScanOptions& scan) {
  if (text.empty()) return core::Ok();
  scan.kind = core::ParseBuildKind(text);
  if (scan.kind) return core::Ok();
  return core::Error{"bad_kind",
                     fmt::format("--kind {}: expected buildable, compiled or tree", text)};
}

}  // namespace

core::Result<std::string> SendBuild(HubClient& hub, const RetryPolicy& retry, const Pauses& pauses,
                                    const std::string& name, const core::Manifest& manifest,
                                    bool allow_shrink) {
  const std::string query = allow_shrink ? "?allow_shrink=1" : "";
  if (!name.empty()) return PutManifest(hub, retry, pauses, name + query, manifest);
  const std::string own = DefaultBuildName(manifest);
  auto sent = PutManifest(hub, retry, pauses, own + query, manifest);
  const bool taken =
      !sent.ok() && (sent.error().code == "not_owner" || sent.error().code == "would_shrink");
  if (!taken) return sent;
  return PutManifest(hub, retry, pauses, own + "-" + manifest.Sha256().substr(0, kShortCommit),
                     manifest);
}

core::Result<std::string> PrepareBuild(const Configuration& configuration,
                                       const BuildOptions& options, HubClient& hub,
                                       const RetryPolicy& retry, const Pauses& pauses,
                                       const std::string& who, Console& console,
                                       std::optional<BuildScan>& scan) {
  if (options.skip) return std::string();
  if (options.folder.empty()) return options.name;
  auto scanned = ScanBuild(configuration, {.folder = options.folder, .kind = {}, .gfxs = {}});
  if (!scanned.ok() && scanned.error().code == "no_kernels") {
    console.err << who << ": " << scanned.error().detail << "; fetching rows for any build\n";
    return std::string();
  }
  if (!scanned.ok()) return scanned.error();
  for (const std::string& unread : scanned->unread) console.err << who << ": " << unread << '\n';
  scan = *std::move(scanned);
  return SendBuild(hub, retry, pauses, options.name, scan->manifest);
}

std::size_t BuildReport::LackedBy(const std::string& module) const {
  std::size_t count = 0;
  for (const ModuleRows& it : modules) {
    if (it.module == module && it.state == Name(core::RowState::kImpossible)) count += it.rows;
  }
  return count;
}

BuildReport ReadBuildReport(const Answer& answer) {
  BuildReport report;
  report.build = answer.Header("tunehub-build");
  for (std::size_t i = 0; i < kHeaders.size(); ++i) {
    report.rows.at(i) = NumberOf(answer.Header(kHeaders.at(i)));
  }
  report.substituted = NumberOf(answer.Header("tunehub-build-substituted"));
  report.unfilled = NumberOf(answer.Header("tunehub-build-unfilled"));
  report.modules = ReadModules(answer.Header("tunehub-build-modules"));
  return report;
}

void PrintBuildReport(const BuildReport& report, const std::vector<AbsentModule>& absent,
                      const std::string& who, Console& console) {
  if (report.build.empty()) return;
  using core::RowState;
  console.err << who << ": rows in " << report.build << ": " << report.Of(RowState::kEffective)
              << " effective, " << report.Of(RowState::kAfterRebuild)
              << " effective after a rebuild, " << report.Of(RowState::kRaisesUntilRebuild)
              << " raise an error until a rebuild, " << report.Of(RowState::kImpossible)
              << " impossible\n";
  for (const RowState state :
       {RowState::kAfterRebuild, RowState::kRaisesUntilRebuild, RowState::kImpossible}) {
    PrintState(report, state, absent, who, console.err);
  }
  if (report.substituted > 0) {
    console.err << who << ": " << report.substituted << " rows have a slower kernel, because "
                << report.build << " does not have the best one\n";
  }
  if (report.unfilled > 0) {
    console.err << who << ": " << report.unfilled << " rows were left out, because " << report.build
                << " has none of their measured kernels\n";
  }
}

nlohmann::ordered_json ToJson(const BuildReport& report) {
  if (report.build.empty()) return nullptr;
  nlohmann::ordered_json json = {{"name", report.build}};
  for (std::size_t i = 0; i < core::kRowStates; ++i) {
    json[std::string(Name(static_cast<core::RowState>(i)))] = report.rows.at(i);
  }
  json["substituted"] = report.substituted;
  json["unfilled"] = report.unfilled;
  json["modules"] = nlohmann::ordered_json::array();
  for (const ModuleRows& it : report.modules) {
    json["modules"].push_back(
        {{"family", it.family}, {"module", it.module}, {"state", it.state}, {"rows", it.rows}});
  }
  return json;
}

int MakeManifest(const Configuration& configuration, const ManifestOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console) {
  const auto scan = ScanBuild(configuration, options.scan);
  if (!scan.ok()) return Fail(console, "manifest", scan.error());
  for (const std::string& unread : scan->unread) console.err << kManifest << ": " << unread << '\n';
  std::string sent;
  if (hub != nullptr && options.put) {
    auto build =
        SendBuild(*hub, options.retry, pauses, *options.put, scan->manifest, options.allow_shrink);
    if (!build.ok()) return Fail(console, "manifest", build.error());
    sent = *std::move(build);
  }
  if (!options.output.empty()) {
    const auto written = core::WriteAtomically(options.output, scan->manifest.Text());
    if (!written.ok()) return Fail(console, "manifest", written.error());
  }
  if (options.output.empty() && !options.put && !options.json) {
    console.out << scan->manifest.Text();
  } else {
    ReportManifest(options, *scan, sent, console.out);
  }
  return scan->unread.empty() ? kGood : kFinding;
}

int RunManifest(int argc, char** argv, Console& console) {
  ManifestOptions options;
  OnlineOptions online;
  std::string folder, kind, name, configs;
  bool put = false;
  cli::CommandLine line("Lists the kernels that an AITER tree can run.", kManifest);
  line.Add("AITER_DIR", folder, "an AITER checkout or installed package").Required();
  line.Add("-o,--output", options.output, "the file to write; default: standard output");
  line.Add("--kind", kind, "buildable (candidate lists), compiled (libraries) or tree (both)")
      .Suggest({"buildable", "compiled", "tree"});
  line.Add("--gfx", options.scan.gfxs, "the GPUs for candidate lists: MI300X, gfx950")
      .Delimiter(',');
  const auto flag = line.AddFlag("--put", put, "send it to the hub");
  line.Add("--name", name,
           "with --put: the manifest's name at the hub; default: the tree's version")
      .Needs(flag);
  line.AddFlag("--allow-shrink", options.allow_shrink,
               "send even if the hub would then serve far fewer rows for this name; needs a key of "
               "scope admin")
      .Needs(flag);
  line.Add("--configs", configs, "folder with families/ and targets.json");
  line.AddFlag("--json", options.json, "print the report as JSON");
  AddOnlineOptions(line, online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (const auto read = ReadKind(kind, options.scan); !read.ok()) {
    return Fail(console, "manifest", read.error());
  }
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "manifest", configuration.error());
  for (std::string& gfx : options.scan.gfxs) {
    auto target = core::KnownTarget(configuration->targets, gfx);
    if (!target.ok()) return Fail(console, "manifest", target.error());
    gfx = std::move(target->gfx);
  }
  options.scan.folder = folder;
  options.retry = online.retry;
  if (!put) return MakeManifest(*configuration, options, nullptr, Pauses::Real(), console);
  options.put = name;
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "manifest", hub.error());
  return MakeManifest(*configuration, options, hub->get(), Pauses::Real(), console);
}

}  // namespace tunehub::agent
