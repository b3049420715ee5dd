#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "agent/tune/commands.h"

namespace tunehub::agent {
namespace {

constexpr int kCalls = 3;

std::string KernelOf(const Columns& candidate) {
  const auto found = std::ranges::find_if(
      candidate, [](const auto& cell) { return cell.first.starts_with("kernelName"); });
  return found == candidate.end() ? TextOf(candidate) : found->second;
}

class Check {
 public:
  Check(TuningDevice& device, const std::vector<std::string>& kernels, double limit,
        FamilyReport& report)
      : device_(device), limit_(limit), report_(report) {
    for (const auto& name : kernels) worst_[name] = kNotRun;
  }

  core::Status Shape(const Columns& shape) {
    const auto offer = device_.Prepare(report_.family, shape);
    if (!offer.ok() && offer.error().code == kUnsupported) {
      refusal_ = offer.error().detail;
      return core::Ok();
    }
    if (!offer.ok()) return offer.error();
    for (std::size_t i = 0; i < offer->candidates.size(); ++i) {
      if (auto status = Candidate(*offer, i, shape); !status.ok()) return status;
    }
    return core::Ok();
  }

  void Count() {
    if (report_.runs == 0 && report_.faults.empty()) {
      report_.faults.push_back({"", {}, {}, Outcome::kBroken, "no kernel ran: " + refusal_});
    }
    for (const auto& [name, worst] : worst_) {
      ++(worst == kNotRun  ? report_.not_valid
         : worst == kRight ? report_.ok
         : worst == kWrong ? report_.wrong
                           : report_.failed);
    }
  }

 private:
  enum Worst { kNotRun, kRight, kWrong, kBroken };

  void Blame(const Columns& candidate, const Columns& shape, Worst worst, std::string reason) {
    const auto name = KernelOf(candidate);
    worst_[name] = std::max(worst_[name], worst);
    if (worst == kRight) return;
    report_.faults.push_back({name, candidate, shape,
                              worst == kWrong ? Outcome::kWrong : Outcome::kBroken,
                              std::move(reason)});
  }

  core::Status Candidate(const Offer& offer, std::size_t index, const Columns& shape) {
    const Columns& candidate = offer.candidates[index];
    const auto verdict = device_.Verify(index);
    if (!verdict.ok() && verdict.error().code != kCandidateFailed) return verdict.error();
    ++report_.runs;
    if (!verdict.ok()) {
      Blame(candidate, shape, kBroken, verdict.error().detail);
      return core::Ok();
    }
    std::string reason = verdict->wrong;
    if (reason.empty() && !(verdict->error <= limit_)) {
      reason = fmt::format("the share of wrong elements is {:f}", verdict->error);
    }
    Blame(candidate, shape, reason.empty() ? kRight : kWrong, reason);
    return reason.empty() && index == offer.fallback ? Times(offer, shape) : core::Ok();
  }

  core::Status Times(const Offer& offer, const Columns& shape) {
    for (const Cache cache : {Cache::kRotating, Cache::kHot, Cache::kCold}) {
      if (cache != Cache::kRotating && !offer.on_gpu) continue;
      const auto us = device_.Sample(offer.fallback, kCalls, cache);
      if (us.ok()) continue;
      if (us.error().code != kCandidateFailed) return us.error();
      Blame(offer.candidates[offer.fallback], shape, kBroken,
            fmt::format("timing it ({}): {}", NameOf(cache), us.error().detail));
    }
    return core::Ok();
  }

  TuningDevice& device_;
  double limit_;
  FamilyReport& report_;
  std::map<std::string, Worst> worst_;  // by kernel
  std::string refusal_;                 // why no kernel can run the last such shape
};

struct Size {
  int m, n, k;
};
// These N and K keep rows aligned for the copies of every GPU and for the scales of MXFP4.
constexpr Size kSizes[] = {{256, 256, 512}, {77, 264, 352}, {1, 256, 512}, {16, 256, 4096}};
constexpr Size kLargeSize = {2056, 4104, 512};

struct MoeSize {
  int tokens, model_dim, inter_dim, experts, topk;
};
// The second size has experts without tokens.
constexpr MoeSize kMoeSizes[] = {{64, 128, 256, 8, 2}, {1, 128, 64, 8, 3}, {19, 96, 72, 4, 2}};

// The other cells of a family's shape key.
struct Variant {
  std::string_view family;
  Columns cells;
};

Columns Bf16Cells(const char* out) {
  return {{"bias", "False"},
          {"dtype", "torch.bfloat16"},
          {"outdtype", out},
          {"scaleAB", "False"},
          {"bpreshuffle", "False"}};
}

Columns MoeCells(const char* dtype, const char* quantisation, const char* activation) {
  return {{"act_type", activation}, {"dtype", "torch.bfloat16"}, {"q_dtype_a", dtype},
          {"q_dtype_w", dtype},     {"q_type", quantisation},    {"use_g1u1", "1"},
          {"doweight_stage1", "0"}};
}

const std::vector<Variant>& Variants() {
  static const std::vector<Variant> variants = {
      {"a4w4_blockscale", {}},
      {"a8w8", {{"q_dtype_w", "torch.int8"}}},
      {"a8w8", {{"q_dtype_w", "torch.float8_e4m3fn"}}},
      {"a8w8", {{"q_dtype_w", "torch.float8_e4m3fnuz"}}},
      {"a8w8_blockscale", {}},
      {"batched_a8w8", {{"B", "3"}}},
      {"batched_bf16", {{"B", "3"}}},
      {"bf16", Bf16Cells("torch.bfloat16")},
      {"bf16", Bf16Cells("torch.float32")},
      {"fmoe", MoeCells("torch.bfloat16", "QuantType.No", "ActivationType.Silu")},
      {"fmoe", MoeCells("torch.float8_e4m3fn", "QuantType.per_Token", "ActivationType.Gelu")},
  };
  return variants;
}

void AddShape(Columns cells, const std::vector<std::pair<const char*, int>>& numbers,
              std::vector<Columns>& shapes) {
  for (const auto& [name, value] : numbers) cells[name] = std::to_string(value);
  shapes.push_back(std::move(cells));
}

}  // namespace

core::Status CheckFamily(TuningDevice& device, const std::vector<std::string>& kernels,
                         const std::vector<Columns>& shapes, double limit, FamilyReport& report) {
  Check check(device, kernels, limit, report);
  core::Status status = core::Ok();
  for (const Columns& shape : shapes) {
    status = check.Shape(shape);
    if (!status.ok()) break;
  }
  check.Count();
  return status;
}

std::vector<Columns> SelftestShapes(std::string_view family, bool large) {
  std::vector<Columns> shapes;
  const auto add = [&](const Columns& cells, const Size& size) {
    AddShape(cells, {{"M", size.m}, {"N", size.n}, {"K", size.k}}, shapes);
  };
  for (const Variant& variant : Variants()) {
    if (variant.family != family) continue;
    if (family == "fmoe") {
      for (const MoeSize& it : kMoeSizes) {
        AddShape(variant.cells,
                 {{"token", it.tokens},
                  {"model_dim", it.model_dim},
                  {"inter_dim", it.inter_dim},
                  {"expert", it.experts},
                  {"topk", it.topk}},
                 shapes);
      }
      continue;
    }
    for (const Size& size : kSizes) add(variant.cells, size);
    if (large) add(variant.cells, kLargeSize);
  }
  return shapes;
}

nlohmann::ordered_json ToJson(const FamilyReport& report) {
  nlohmann::ordered_json json = {{"family", report.family},      {"kernels", report.kernels()},
                                 {"runs", report.runs},          {"ok", report.ok},
                                 {"wrong", report.wrong},        {"failed", report.failed},
                                 {"not_valid", report.not_valid}};
  json["faults"] = nlohmann::ordered_json::array();
  for (const Fault& fault : report.faults) {
    json["faults"].push_back({{"kernel", fault.kernel},
                              {"candidate", fault.candidate},
                              {"shape", fault.shape},
                              {"status", Name(fault.outcome)},
                              {"reason", fault.reason}});
  }
  return json;
}

void Print(std::ostream& out, const FamilyReport& report) {
  out << report.family << ": " << report.kernels() << " kernels in " << report.runs
      << " runs: " << report.ok << " ok, " << report.wrong << " wrong, " << report.failed
      << " failed, " << report.not_valid << " not valid here\n";
  std::map<std::string, std::size_t> runs;
  for (const Fault& fault : report.faults) ++runs[fault.kernel];
  for (const Fault& fault : report.faults) {
    const std::size_t count = std::exchange(runs[fault.kernel], 0);
    if (count == 0) continue;  // already printed
    out << "  " << Name(fault.outcome) << ": ";
    if (!fault.kernel.empty()) {
      out << fault.kernel;
      if (const long split = SplitK(fault.candidate); split > 0) out << " splitK=" << split;
      out << " on " << TextOf(fault.shape) << ": ";
    }
    out << fault.reason;
    if (count > 1) out << " (and " << count - 1 << " more of its runs)";
    out << '\n';
  }
}

}  // namespace tunehub::agent
