#include "agent/tuning/selftest.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tunehub::agent::tuning {
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
      report_.faults.push_back({"", {}, {}, Outcome::kFailed, "nothing ran: " + refusal_});
    }
    for (const auto& [name, worst] : worst_) {
      ++(worst == kNotRun  ? report_.not_valid
         : worst == kRight ? report_.ok
         : worst == kWrong ? report_.wrong
                           : report_.failed);
    }
  }

 private:
  enum Worst { kNotRun, kRight, kWrong, kFailed };

  void Blame(const Columns& candidate, const Columns& shape, Worst worst, std::string reason) {
    const auto name = KernelOf(candidate);
    worst_[name] = std::max(worst_[name], worst);
    if (worst == kRight) return;
    report_.faults.push_back({name, candidate, shape,
                              worst == kWrong ? Outcome::kWrong : Outcome::kFailed,
                              std::move(reason)});
  }

  core::Status Candidate(const Offer& offer, std::size_t index, const Columns& shape) {
    const Columns& candidate = offer.candidates[index];
    const auto verdict = device_.Verify(index);
    if (!verdict.ok() && verdict.error().code != kCandidateFailed) return verdict.error();
    ++report_.runs;
    if (!verdict.ok()) {
      Blame(candidate, shape, kFailed, verdict.error().detail);
      return core::Ok();
    }
    std::string reason = verdict->wrong;
    if (reason.empty() && !(verdict->error <= limit_)) {
      reason = fmt::format("a share of {:f} of the elements is wrong", verdict->error);
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
      Blame(offer.candidates[offer.fallback], shape, kFailed,
            fmt::format("timing it ({}): {}", NameOf(cache), us.error().detail));
    }
    return core::Ok();
  }

  TuningDevice& device_;
  double limit_;
  FamilyReport& report_;
  std::map<std::string, Worst> worst_;  // by kernel
  std::string refusal_;                 // of the last shape that nothing runs
};

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

}  // namespace tunehub::agent::tuning
