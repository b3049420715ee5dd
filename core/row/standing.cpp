#include "core/row/standing.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/roofline.h"
#include "core/row/target.h"

namespace tunehub::core {
namespace {

// True if the row names neither a kernel nor a kernel's id.
bool NamesNothing(const Family& family, const Cells& cells) {
  if (family.kernel_columns.empty()) return false;
  for (std::size_t i : family.kernel_columns) {
    if (!IsMissing(cells[i])) return false;
  }
  return std::none_of(
      family.config_columns.begin(), family.config_columns.end(), [&](std::size_t i) {
        return family.columns[i].identity == Identity::kUnnamed && !IsMissing(cells[i]);
      });
}

bool AboveLimit(const Timing& timing) {
  return timing.error > timing.error_limit;
}

// Says how the row shows that its candidate failed; "" if it does not. If a candidate could not
// run, AITER's tuners write a time of -1 or a name "FAILED: ...". If it hung or lost its GPU, they
// write a time of inf. Their error of 1 says nothing about the kernel's result.
std::string Failed(const Family& family, const Cells& cells, const Timing& timing) {
  if (timing.us < 0 || (std::isinf(timing.us) && AboveLimit(timing))) {
    return fmt::format("failed: the time is {:.6g} us, with which tuners mark a failed candidate",
                       timing.us);
  }
  const auto kernel = std::ranges::find_if(
      family.kernel_columns, [&](std::size_t i) { return cells[i].starts_with(kFailedKernel); });
  if (kernel == family.kernel_columns.end()) return "";
  return fmt::format("failed: the tuner named the kernel '{}'", Excerpt(cells[*kernel]));
}

bool ClaimsNoTflops(const Family& family, const Cells& cells) {
  const std::size_t tflops = family.Find("tflops");
  return tflops != kNoColumn && ParseNumber(cells[tflops]).value_or(1) == 0;
}

// The least compute time on a target without a known product; 0: unknown.
double LeastComputeUs(const Family& family, const Targets& targets, const Cells& cells,
                      const Target& target) {
  const auto work = ComputeWork(family, cells);
  const auto peak = targets.PeakTflops(target.gfx, target.cu_num, RowPrecision(family, cells));
  return work && peak && *peak > 0 ? work->flops / *peak / 1e6 : 0;
}

// Lower bounds of a time on the row's shape key.
struct Bound {
  bool gpu = true;        // false: a CPU, which has no bounds (0.25 us is plausible)
  bool roofline = false;  // from a known product's peaks
  double us = 0;          // the least time; 0: unknown
};

Bound BoundOf(const Family& family, const Targets& targets, const Cells& cells) {
  const Target target = TargetOf(family, targets, cells);
  if (target.gfx.starts_with(kCpuPrefix)) return {.gpu = false};
  const auto roofline =
      FastestRoofline(family, cells, targets.devices(), target.gfx, target.cu_num);
  if (roofline) return {.roofline = true, .us = roofline->us};
  return {.us = LeastComputeUs(family, targets, cells, target)};
}

// Says why a time above 0 is implausible on the target; "" if it is plausible.
std::string Implausible(const Bound& bound, double us) {
  if (!bound.gpu) return "";
  if (us < kRooflineShare * bound.us) {
    return fmt::format("implausible: {:.4g} us, but the roofline of the fastest GPU is {:.4g} us",
                       us, bound.us);
  }
  if (us >= kLeastLaunchUs) return "";
  return fmt::format("implausible: {:.4g} us, but a launch on a GPU takes {:.4g} us", us,
                     kLeastLaunchUs);
}

Judgement JudgeRow(const Family& family, const Cells& cells, const Timing& timing,
                   const Bound& bound) {
  if (std::string reason = Failed(family, cells, timing); !reason.empty()) {
    return {Standing::kFailed, std::move(reason)};
  }
  if (AboveLimit(timing)) {
    return {Standing::kWrong,
            fmt::format("error_above_limit: the error is {:.4g}; the limit is {:.4g}", timing.error,
                        timing.error_limit)};
  }
  if (family.objective == kNoColumn) return {Standing::kDeclared, ""};
  if (std::isnan(timing.us) && family.declared_without_time) return {Standing::kDeclared, ""};
  if (std::isnan(timing.us)) return {Standing::kUnmeasured, "us_missing: the row has no time"};
  if (timing.us == 0) return {Standing::kUnmeasured, "us_zero: the time is 0"};
  if (timing.us > kMostUs) {
    return {Standing::kUnmeasured,
            fmt::format("us_infinite: a measurement cannot take {:.6g} us", timing.us)};
  }
  if (timing.us == 1.0 && ClaimsNoTflops(family, cells)) {
    return {Standing::kUnmeasured, "us_placeholder: the time is 1.0 with 0 tflops"};
  }
  if (std::string reason = Implausible(bound, timing.us); !reason.empty()) {
    return {timing.upstream ? Standing::kUnmeasured : Standing::kImplausible, std::move(reason)};
  }
  if (family.config_columns.empty()) return {Standing::kCompared, ""};
  return {Standing::kMeasured, ""};
}

}  // namespace

std::string_view Name(Standing standing) {
  constexpr std::string_view kNames[] = {"measured",    "declared",    "unmeasured",  "quarantined",
                                         "quarantined", "quarantined", "implausible", "unfinished",
                                         "compared",    "unconfirmed"};
  const auto i = static_cast<std::size_t>(standing);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

double ResultsErrorLimit(const Family& family, std::optional<double> of_run) {
  return std::min(of_run.value_or(family.tuner_error_limit), family.tuner_error_limit);
}

double ImportErrorLimit(const Family& family, std::optional<double> of_run, bool upstream) {
  const double limit = of_run.value_or(family.error_limit);
  return upstream ? limit : std::min(limit, family.error_limit);
}

Judgement Judge(const Family& family, const Targets& targets, const Cells& cells,
                const Timing& timing) {
  Bound bound{.gpu = false};
  if (family.objective != kNoColumn) bound = BoundOf(family, targets, cells);
  Judgement judgement = JudgeRow(family, cells, timing, bound);
  if (NamesNothing(family, cells)) {
    judgement.standing = Standing::kGarbled;
    const std::string& also = judgement.reason;
    judgement.reason = std::string(kNamesNoKernel) + (also.empty() ? "" : "; " + also);
  }
  judgement.relative = bound.gpu && !bound.roofline;
  return judgement;
}

}  // namespace tunehub::core
