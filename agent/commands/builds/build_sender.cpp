#include "agent/commands/builds/build_sender.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/hub/problem.h"
#include "core/base/read_json.h"

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
  return core::Error{"bad_answer", "the hub took the manifest and did not say under which digest"};
}

}  // namespace

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
    console.err << who << ": " << scanned.error().detail << "; rows for any build are fetched\n";
    return std::string();
  }
  if (!scanned.ok()) return scanned.error();
  for (const std::string& unread : scanned->unread) console.err << who << ": " << unread << '\n';
  scan = *std::move(scanned);
  return SendBuild(hub, retry, pauses, options.name, scan->manifest);
}

}  // namespace tunehub::agent
