#include "agent/engines/engine_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>

#include "agent/aiter/private_tree.h"
#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// Prints one line: "vllm 0.11.0, triton 3.4.0, torch 2.8.0".
constexpr char kVersions[] =
    "import importlib.metadata as m\n"
    "found = []\n"
    "for name in ('vllm', 'sglang', 'triton', 'torch'):\n"
    "    try: found.append(name + ' ' + m.version(name))\n"
    "    except m.PackageNotFoundError: pass\n"
    "print(', '.join(found))\n";
constexpr char kTritonVersion[] = "import triton; print(triton.__version__)";

// "3.4.0+git1234" -> "triton_3_4_0". Returns "" for a version without three numbers.
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

constexpr std::string_view kOne = "--batch-size", kMany = "--batch-sizes";

constexpr std::array<EngineScript, 4> kScripts = {{
    {"vllm", "triton_fused_moe", "benchmarks/kernels/benchmark_moe.py", true,
     "--enable-expert-parallel", true, "--save-dir", true, "VLLM_TUNED_CONFIG_FOLDER"},
    {"vllm", "triton_block_gemm", "benchmarks/kernels/benchmark_w8a8_block_fp8.py", false, "",
     false, "--save-path", false, ""},
    {"sglang", "triton_fused_moe", "benchmark/kernels/fused_moe_triton/tuning_fused_moe_triton.py",
     true, "--ep-size", false, "", true, "SGLANG_MOE_CONFIG_DIR"},
    {"sglang", "triton_block_gemm", "benchmark/kernels/quantization/tuning_block_wise_kernel.py",
     false, "", false, "--save-path", false, ""},
}};

core::Error Bad(const std::string& what, const std::string& why) {
  return {"bad_arguments", what + ": " + why};
}

std::string NameOf(const EngineScript& script) {
  return std::string(core::BaseName(script.path));
}

}  // namespace

std::vector<std::string> VersionsOf(const std::string& python) {
  std::vector<std::string> versions;
  const std::string answer = AskPython(python, kVersions);
  for (const std::string_view version : core::SplitAfter(answer, ",")) {
    versions.emplace_back(core::Trim(version));
  }
  return versions;
}

core::Result<std::string> TritonFolderOf(const std::string& python) {
  const std::string version = AskPython(python, kTritonVersion);
  std::string folder = TritonFolder(version);
  if (!folder.empty()) return folder;
  return core::Error{
      "no_triton",
      fmt::format("SGLang names its folders by Triton's version, but {} reports the version '{}'",
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
        "bad_model",
        fmt::format(
            "--model {}: expected a config.json of Hugging Face, with a member `architectures`",
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

void SettleOutcome(ScriptReport& report) {
  const bool ended = report.outcome == ScriptOutcome::kComplete ||
                     report.outcome == ScriptOutcome::kPartial ||
                     report.outcome == ScriptOutcome::kExited;
  if (!ended) return;
  report.outcome = report.tuned == 0               ? ScriptOutcome::kExited
                   : report.tuned < report.shapes  ? ScriptOutcome::kPartial
                   : report.ended == "exit code 0" ? ScriptOutcome::kComplete
                                                   : ScriptOutcome::kPartial;
}

std::string DeviceFileName(std::string_view name) {
  std::string text(core::Trim(name));
  std::ranges::replace(text, ' ', '_');
  return text;
}

const EngineScript* FindEngineScript(std::string_view tuner, std::string_view family) {
  const auto found = std::ranges::find_if(kScripts, [&](const EngineScript& script) {
    return script.tuner == tuner && script.family == family;
  });
  return found == kScripts.end() ? nullptr : &*found;
}

core::Status CheckEngineWork(const EngineScript& script, const EngineWork& work) {
  const std::string name = NameOf(script);
  if (script.model && work.model.empty()) {
    return Bad("--model", name + " needs --model, because it tunes a model's shapes");
  }
  if (!script.model && !work.model.empty()) {
    return Bad("--model " + work.model,
               name + " does not take a model; it has its own list of shapes for each --tp");
  }
  if (!script.model && !work.dtype.empty()) {
    return Bad("--dtype " + work.dtype,
               name + " does not take --dtype; to choose a type, pass -- --input-type fp8");
  }
  if (work.ep == 0) return core::Ok();
  const std::string ep = fmt::format("--ep {}", work.ep);
  if (script.ep.empty()) return Bad(ep, name + " does not support expert parallelism");
  if (script.ep_is_flag && work.ep != work.tp) {
    return Bad(ep, fmt::format("{} has expert parallelism only over all GPUs of --tp, so --ep and "
                               "--tp must be equal; add --tp {}",
                               name, work.ep));
  }
  return core::Ok();
}

// Finds the option as a literal of argparse, in single or double quotes.
std::size_t ScriptText::Find(std::string_view option) const {
  for (const char quote : {'"', '\''}) {
    const std::string literal = quote + std::string(option) + quote;
    if (const std::size_t at = text_.find(literal); at != std::string::npos) return at;
  }
  return std::string::npos;
}

bool ScriptText::TakesSeveral(std::string_view option) const {
  const std::size_t at = Find(option);
  if (at == std::string::npos) return false;
  const std::size_t next = std::min(text_.find("add_argument", at), text_.size());
  return std::string_view(text_).substr(at, next - at).find("nargs") != std::string_view::npos;
}

std::vector<std::vector<int>> StartsOf(const ScriptText& text, const std::vector<int>& grid) {
  if (grid.empty()) return {{}};
  if (text.TakesSeveral(kOne) || text.TakesSeveral(kMany)) return {grid};
  return core::Mapped(grid, [](int tokens) { return std::vector<int>{tokens}; });
}

core::Result<std::vector<std::string>> ArgumentsOf(const EngineScript& script,
                                                   const ScriptText& text, const EngineWork& work,
                                                   const std::string& model,
                                                   const std::vector<int>& tokens, AiterStep step,
                                                   const std::filesystem::path& save) {
  std::vector<std::string> arguments;
  std::string lacking;
  const auto add = [&](std::string_view option, const std::vector<std::string>& values) {
    if (!text.Has(option)) lacking = option;
    arguments.emplace_back(option);
    arguments.insert(arguments.end(), values.begin(), values.end());
  };
  if (script.model) add("--model", {model});
  if (work.tp > 0) add("--tp-size", {std::to_string(work.tp)});
  using Values = std::vector<std::string>;
  if (work.ep > 0) add(script.ep, script.ep_is_flag ? Values() : Values{std::to_string(work.ep)});
  if (!work.dtype.empty()) add("--dtype", {work.dtype});
  Values numbers;
  for (const int number : tokens) numbers.push_back(std::to_string(number));
  const bool many = !text.TakesSeveral(kOne) && text.TakesSeveral(kMany);
  if (!numbers.empty()) add(many ? kMany : kOne, numbers);
  if (step == AiterStep::kTune) {
    if (script.benches) add("--tune", {});
    // An older script writes to its working folder, which is the same folder.
    if (!script.save.empty() && text.Has(script.save)) add(script.save, {save.string()});
  }
  if (lacking.empty()) return arguments;
  return Bad(lacking, "in this checkout, " + NameOf(script) + " does not take this option");
}

}  // namespace tunehub::agent
