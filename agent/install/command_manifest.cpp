#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command.h"
#include "agent/hub/http_client.h"
#include "agent/install/build_report.h"
#include "agent/install/commands.h"
#include "core/base/file.h"

namespace tunehub::agent {
namespace {

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
                     fmt::format("--kind {}: none of buildable, compiled and tree", text)};
}

}  // namespace

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
  line.Add("-o,--output", options.output, "the file; default: standard output");
  line.Add("--kind", kind, "buildable (candidate lists), compiled (libraries) or tree (both)")
      .Suggest({"buildable", "compiled", "tree"});
  line.Add("--gfx", options.scan.gfxs, "architectures for candidate lists").Delimiter(',');
  const auto flag = line.AddFlag("--put", put, "send it to the hub");
  line.Add("--name", name, "to send it under; default: the tree's version").Needs(flag);
  line.AddFlag("--allow-shrink", options.allow_shrink,
               "also where the name would be served much less; of a key of scope admin")
      .Needs(flag);
  line.Add("--configs", configs, "folder with families/ and targets.json");
  line.AddFlag("--json", options.json, "report as JSON");
  AddOnlineOptions(line, online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (const auto read = ReadKind(kind, options.scan); !read.ok()) {
    return Fail(console, "manifest", read.error());
  }
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "manifest", configuration.error());
  options.scan.folder = folder;
  options.retry = online.retry;
  if (!put)
    return MakeManifest(*configuration, options, nullptr, Pauses::Telling(console.err), console);
  options.put = name;
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "manifest", hub.error());
  return MakeManifest(*configuration, options, hub->get(), Pauses::Telling(console.err), console);
}

}  // namespace tunehub::agent
