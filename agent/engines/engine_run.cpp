#include "agent/engines/engine_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "agent/aiter/private_tree.h"
#include "core/base/atomic_file.h"
#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::agent {

namespace fs = std::filesystem;

namespace {

// The names, on one line: "vllm 0.11.0, triton 3.4.0, torch 2.8.0".
constexpr char kVersions[] =
    "import importlib.metadata as m\n"
    "found = []\n"
    "for name in ('vllm', 'sglang', 'triton', 'torch'):\n"
    "    try: found.append(name + ' ' + m.version(name))\n"
    "    except m.PackageNotFoundError: pass\n"
    "print(', '.join(found))\n";
constexpr char kTritonVersion[] = "import triton; print(triton.__version__)";

// "3.4.0+git1234" -> "triton_3_4_0"; "" where it is no version of three numbers.
std::string TritonFolder(const std::string& version) {
  std::string folder = "triton_";
  int dots = 0;
  for (const char c : version) {
    if (c == '.' && dots < 2) {
      ++dots;
      folder += '_';
    } else if (c >= '0' && c <= '9') {
      folder += c;
    } else {
      break;
    }
  }
  return dots == 2 && folder.back() != '_' ? folder : "";
}

}  // namespace

std::vector<std::string> VersionsOf(const std::string& python) {
  std::vector<std::string> versions;
  const std::string answer = AskPython(python, kVersions);
  for (std::size_t begin = 0; begin < answer.size();) {
    const std::size_t end = std::min(answer.find(", ", begin), answer.size());
    versions.push_back(answer.substr(begin, end - begin));
    begin = end + 2;
  }
  return versions;
}

core::Result<std::string> TritonFolderOf(const std::string& python) {
  const std::string version = AskPython(python, kTritonVersion);
  std::string folder = TritonFolder(version);
  if (!folder.empty()) return folder;
  return core::Error{"no_triton", fmt::format("SGLang's folders are named by Triton's version, and "
                                              "{} says '{}' when asked for it",
                                              python, version)};
}

core::Result<std::string> ModelOf(const std::string& model, const fs::path& home) {
  std::error_code error;
  if (!fs::is_regular_file(model, error)) {
    return fs::is_directory(model, error) ? fs::absolute(model).string() : model;
  }
  const auto bytes = core::FileBytes::Read(model);
  if (!bytes.ok()) return bytes.error();
  const auto config = core::ReadJson(bytes->view());
  if (!config.is_object() || !config.contains("architectures")) {
    return core::Error{
        "bad_model", fmt::format("--model {}: no config.json of Hugging Face's, which has a member "
                                 "architectures",
                                 model)};
  }
  const fs::path folder = home / "model";
  if (auto made = core::MakeFolder(folder); !made.ok()) return made.error();
  if (auto written = core::WriteAtomically(folder / "config.json", bytes->view()); !written.ok()) {
    return written.error();
  }
  return folder.string();
}

core::Result<fs::path> FreshFolder(const fs::path& work, const std::string& name) {
  if (auto made = core::MakeFolder(work); !made.ok()) return made.error();
  const std::string stamped = name + "_" + Stamp();
  for (int i = 0;; ++i) {
    const fs::path folder = work / (i == 0 ? stamped : fmt::format("{}_{}", stamped, i));
    std::error_code error;
    if (fs::create_directory(folder, error)) return folder;
    if (error) return core::Unwritable(folder, error);
  }
}

core::Status RunEngine(const AiterCommand& command, const EngineSettings& settings,
                       const EngineObserver& observer,
                       const std::function<void(std::string_view)>& line, AiterReport& report) {
  if (auto made = core::MakeFolder(settings.logs); !made.ok()) return made.error();
  AiterOptions limits;
  limits.limit = settings.limit;
  limits.silence = settings.silence;
  limits.grace = settings.grace;
  AiterObserver watch;
  watch.note = observer.note;
  watch.stop = observer.stop;
  return RunScript(command, limits, watch, line, report);
}

void SettleOutcome(AiterReport& report) {
  const bool ended = report.outcome == AiterOutcome::kComplete ||
                     report.outcome == AiterOutcome::kPartial ||
                     report.outcome == AiterOutcome::kExited;
  if (!ended) return;
  report.outcome = report.tuned == 0               ? AiterOutcome::kExited
                   : report.tuned < report.shapes  ? AiterOutcome::kPartial
                   : report.ended == "exit code 0" ? AiterOutcome::kComplete
                                                   : AiterOutcome::kPartial;
}

std::string DeviceFileName(std::string_view name) {
  std::string text(core::Trim(name));
  std::ranges::replace(text, ' ', '_');
  return text;
}

}  // namespace tunehub::agent
