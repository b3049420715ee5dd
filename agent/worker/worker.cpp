#include "agent/worker/worker.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/catalog.h"
#include "kernels/problem.h"
#include "kernels/timer.h"

namespace tunehub::agent::worker {

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
  bench_.reset();  // its memory first
  candidates_.clear();
  const auto name = request.at("family").get<std::string>();
  const core::Family* family = families_.Find(name);
  if (family == nullptr) return core::Error{"unsupported_shape", "no family '" + name + "'"};
  const auto shape = request.at("shape").get<std::map<std::string, std::string>>();
  const auto problem =
      kernels::ReadProblem(*family, kernels::ShapeTexts(shape.begin(), shape.end()));
  if (!problem.ok()) return core::Error{"unsupported_shape", problem.error().detail};
  candidates_ = kernels::Candidates(*problem);
  const auto fallback =
      std::find(candidates_.begin(), candidates_.end(), kernels::DefaultCandidate(*problem));
  if (fallback == candidates_.end()) {
    return core::Error{"unsupported_shape", "no kernel of " + name + " runs this shape here"};
  }
  auto bench = kernels::Workbench::Make(*problem, request.at("seed").get<std::uint64_t>());
  if (!bench.ok()) return core::Error{"unsupported_shape", bench.error().detail};
  bench_.emplace(*std::move(bench));
  nlohmann::json list = nlohmann::json::array();
  for (const kernels::Candidate& it : candidates_) list.push_back(CellsOf(*family, *problem, it));
  return nlohmann::json{{"candidates", std::move(list)},
                        {"fallback", fallback - candidates_.begin()}};
}

core::Result<nlohmann::json> Worker::Verify(const kernels::Candidate& candidate) {
  const auto check = bench_->Verify(candidate);
  if (!check.ok()) return check.error();
  nlohmann::json answer = {{"error", check->err_ratio}, {"wrong", ""}};
  if (!(check->frobenius <= kernels::kFrobeniusLimit)) {
    answer["wrong"] = "the relative Frobenius error " + std::to_string(check->frobenius) +
                      " is above " + std::to_string(kernels::kFrobeniusLimit);
  }
  return answer;
}

core::Result<nlohmann::json> Worker::Sample(const kernels::Candidate& candidate, int calls) {
  if (calls < 1) return core::Error{"bad_request", "a sample has at least one call"};
  return nlohmann::json{{"us", bench_->TimeMicroseconds(candidate, calls)}};
}

core::Result<nlohmann::json> Worker::Do(const nlohmann::json& request) {
  const auto what = request.at("do").get<std::string>();
  if (what == "prepare") return Prepare(request);
  if (what == "pulse") return nlohmann::json{{"us", kernels::PulseUs()}};
  const auto index = request.at("candidate").get<std::size_t>();
  if (!bench_ || index >= candidates_.size()) {
    return core::Error{"bad_request", "no such candidate of a prepared shape"};
  }
  if (what == "verify") return Verify(candidates_[index]);
  if (what == "sample") return Sample(candidates_[index], request.at("calls").get<int>());
  return core::Error{"bad_request", "'" + what + "' is unknown"};
}

nlohmann::json Worker::Answer(const nlohmann::json& request) {
  try {
    auto answer = Do(request);
    if (answer.ok()) return *std::move(answer);
    return {{"failed", answer.error().code}, {"detail", answer.error().detail}};
  } catch (const nlohmann::json::exception& error) {
    return {{"failed", "bad_request"}, {"detail", error.what()}};
  } catch (const std::bad_alloc&) {
    return {{"failed", "unsupported_shape"}, {"detail", "not enough memory for the shape"}};
  }
}

}  // namespace tunehub::agent::worker
