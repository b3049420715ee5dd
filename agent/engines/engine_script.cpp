#include "agent/engines/engine_script.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace tunehub::agent {
namespace {

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
  return std::string(script.path.substr(script.path.rfind('/') + 1));
}

// By which the script takes numbers of tokens.
std::string_view TokensOption(const ScriptText& text) {
  return !text.TakesSeveral(kOne) && text.TakesSeveral(kMany) ? kMany : kOne;
}

std::vector<std::string> NumbersOf(const std::vector<int>& tokens) {
  std::vector<std::string> numbers;
  for (const int number : tokens) numbers.push_back(std::to_string(number));
  return numbers;
}

}  // namespace

const EngineScript* FindEngineScript(std::string_view tuner, std::string_view family) {
  const auto found = std::ranges::find_if(kScripts, [&](const EngineScript& script) {
    return script.tuner == tuner && script.family == family;
  });
  return found == kScripts.end() ? nullptr : &*found;
}

core::Status CheckEngineWork(const EngineScript& script, const EngineWork& work) {
  const std::string name = NameOf(script);
  if (script.model && work.model.empty()) {
    return Bad("--model", name + " needs it: its shapes are those of a model");
  }
  if (!script.model && !work.model.empty()) {
    return Bad("--model " + work.model, name + " has a list of shapes of its own, by --tp");
  }
  if (!script.model && !work.dtype.empty()) {
    return Bad("--dtype " + work.dtype, name + " has no such option (-- --input-type fp8)");
  }
  if (work.ep == 0) return core::Ok();
  const std::string ep = fmt::format("--ep {}", work.ep);
  if (script.ep.empty()) return Bad(ep, name + " has no expert parallelism");
  if (script.ep_is_flag && work.ep != work.tp) {
    return Bad(ep, fmt::format("{} has it over all of --tp only: --tp {}", name, work.ep));
  }
  return core::Ok();
}

// As argparse is told of it: a literal in quotes of either kind.
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
  std::vector<std::vector<int>> starts;
  for (const int tokens : grid) starts.push_back({tokens});
  return starts;
}

core::Result<std::vector<std::string>> ArgumentsOf(const EngineScript& script,
                                                   const ScriptText& text, const EngineWork& work,
                                                   const std::string& model,
                                                   const std::vector<int>& tokens, EngineStep step,
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
  if (work.ep > 0 && script.ep_is_flag) add(script.ep, {});
  if (work.ep > 0 && !script.ep_is_flag) add(script.ep, {std::to_string(work.ep)});
  if (!work.dtype.empty()) add("--dtype", {work.dtype});
  if (!tokens.empty()) add(TokensOption(text), NumbersOf(tokens));
  if (step == EngineStep::kTune) {
    if (script.benches) add("--tune", {});
    // An older script writes to where it was started, which is the same folder.
    if (!script.save.empty() && text.Has(script.save)) add(script.save, {save.string()});
  }
  if (lacking.empty()) return arguments;
  return Bad(lacking, "this checkout's " + NameOf(script) + " has no such option");
}

}  // namespace tunehub::agent
