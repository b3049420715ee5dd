#include "agent/device/worker.h"

#include <fmt/core.h>

#include <iostream>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/device/runner.h"
#include "core/base/read_json.h"
#include "core/row/cell.h"
#include "kernels/cpu/catalog.h"
#include "kernels/problem.h"

namespace tunehub::agent {

std::map<std::string, std::string> CellsOf(const core::Family& family,
                                           const kernels::Problem& problem,
                                           const kernels::Candidate& candidate) {
  std::map<std::string, std::string> cells;
  for (std::size_t i : family.config_columns) {
    const core::Column& column = family.columns[i];
    if (column.type == core::Type::kKernel) {
      cells[column.name] = candidate.kernel_name;  // both stages of a fused MoE are one kernel's
    } else if (column.name == "libtype") {
      cells[column.name] = kernels::kLibtype;
    } else if (column.name == "splitK" || column.name == "ksplit") {
      cells[column.name] = std::to_string(candidate.split_k);
    } else if (column.name == "block_m") {
      const auto config = kernels::ConfigOf(problem, candidate);
      if (config.ok()) cells[column.name] = std::to_string(config->block_m);
    }
  }
  return cells;
}

core::Result<nlohmann::json> Worker::Prepare(const nlohmann::json& request) {
  candidates_ = 0;
  const auto name = request.at("family").get<std::string>();
  const core::Family* family = families_.Find(name);
  if (family == nullptr) return core::Error{kUnsupportedShape, fmt::format("no family '{}'", name)};
  const auto shape = request.at("shape").get<std::map<std::string, std::string>>();
  const auto problem =
      kernels::ReadProblem(*family, kernels::ShapeTexts(shape.begin(), shape.end()));
  if (!problem.ok()) return core::Error{kUnsupportedShape, problem.error().detail};
  const auto offered = runner_.Prepare(*problem, request.at("seed").get<std::uint64_t>());
  if (!offered.ok()) return offered.error();
  candidates_ = offered->candidates.size();
  nlohmann::json list = nlohmann::json::array();
  for (const auto& it : offered->candidates) list.push_back(CellsOf(*family, *problem, it));
  return nlohmann::json{{"candidates", std::move(list)},
                        {"fallback", offered->fallback},
                        {"caches", offered->caches}};
}

core::Result<nlohmann::json> Worker::Kernels(const std::string& family) {
  const auto names = runner_.Kernels(family);
  if (!names.ok()) return names.error();
  return nlohmann::json{{"kernels", *names}};
}

core::Result<nlohmann::json> Worker::Verify(std::size_t candidate) {
  const auto check = runner_.Verify(candidate);
  if (!check.ok()) return check.error();
  nlohmann::json answer = {{"error", check->err_ratio}, {"wrong", ""}};
  if (!(check->frobenius <= kernels::kFrobeniusLimit)) {
    answer["wrong"] = fmt::format("the relative Frobenius error {:f} is above {:f}",
                                  check->frobenius, kernels::kFrobeniusLimit);
  }
  return answer;
}

core::Result<nlohmann::json> Worker::Sample(std::size_t candidate, const nlohmann::json& request) {
  const int calls = request.at("calls").get<int>();
  if (calls < 1) return core::Error{"bad_request", "a sample has at least one call"};
  const auto name = request.value("cache", std::string(NameOf(kernels::gpu::Cache::kRotating)));
  const auto cache = kernels::gpu::CacheOf(name);
  if (!cache) {
    return core::Error{"bad_request", fmt::format("'{}' is none of rotating, hot and cold", name)};
  }
  const auto us = runner_.Sample(candidate, calls, *cache);
  if (!us.ok()) return us.error();
  return nlohmann::json{{"us", *us}};
}

core::Result<nlohmann::json> Worker::Pulse() {
  const auto us = runner_.Pulse();
  if (!us.ok()) return us.error();
  return nlohmann::json{{"us", *us}};
}

core::Result<nlohmann::json> Worker::Do(const nlohmann::json& request) {
  const auto what = request.at("do").get<std::string>();
  if (what == "prepare") return Prepare(request);
  if (what == "device") return runner_.Device();
  if (what == "kernels") return Kernels(request.at("family").get<std::string>());
  if (what == "pulse") return Pulse();
  const auto index = request.at("candidate").get<std::size_t>();
  if (index >= candidates_) {
    return core::Error{"bad_request", "no such candidate of a prepared shape"};
  }
  if (what == "verify") return Verify(index);
  if (what == "sample") return Sample(index, request);
  return core::Error{"bad_request", fmt::format("'{}' is unknown", what)};
}

nlohmann::json Worker::Answer(const nlohmann::json& request) {
  try {
    auto answer = Do(request);
    if (answer.ok()) return *std::move(answer);
    nlohmann::json failed = {{"failed", answer.error().code}, {"detail", answer.error().detail}};
    if (answer.error().code == kLost) failed["ends"] = true;
    return failed;
  } catch (const nlohmann::json::exception& error) {
    return {{"failed", "bad_request"}, {"detail", error.what()}};
  } catch (const std::bad_alloc&) {
    return {{"failed", kUnsupportedShape}, {"detail", "not enough memory for the shape"}};
  }
}

void Worker::Serve(std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    const auto request = core::ReadJson(line);
    // What a kernel wrote into a text might be no UTF-8.
    out << Answer(request).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
        << std::endl;
  }
}

namespace {

constexpr std::string_view kGpu = "gpu";

}  // namespace

int Serve(const std::string& configs, Runner& runner, Console& console) {
  const auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, kWorkerCommand, configuration.error());
  Worker(configuration->families, runner).Serve(std::cin, console.out);
  return kGood;
}

int RunWorker(int argc, char** argv, Console& console) {
  const auto index =
      argc == 4 && std::string_view(argv[2]) == kGpu ? core::ParseInt(argv[3]) : std::nullopt;
  if (argc != 2 && !index) {
    return Fail(console, kWorkerCommand,
                {"bad_arguments", "it wants CONFIGS [gpu INDEX]; tunehub-agent tune starts it"});
  }
  if (!index) {
    CpuRunner cpu;
    return Serve(argv[1], cpu, console);
  }
  GpuRunner gpu(*index);
  return Serve(argv[1], gpu, console);
}

}  // namespace tunehub::agent
