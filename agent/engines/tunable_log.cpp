#include "agent/engines/tunable_log.h"

#include "core/row/cell.h"
#include "core/row/tunable_time.h"

namespace tunehub::agent::engines {
namespace {

constexpr std::string_view kDriver = "tunehub: ";
constexpr std::string_view kNotOffline = "Offline tuning is not support";  // "ed" in most of them

// Moves `text` behind `mark`; false where it is not there.
bool SkipTo(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + mark.size());
  return true;
}

bool TakeWord(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// "finding fastest for GemmTunableOp_float_NN(nn_50_33_64_ld_50_70_50) out of 2 candidates"
bool ReadShape(std::string_view line, core::TunableShape& shape) {
  if (!SkipTo(line, "finding fastest for ")) return false;
  const std::size_t begin = line.find('('), end = line.find(") out of ");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return false;
  shape.op = line.substr(0, begin);
  shape.params = line.substr(begin + 1, end - begin - 1);
  return core::WhyNotAsked(shape).empty();
}

// "found better instance id=0. 0.0167136ms. Default min 0.007584 max ..."
bool ReadTime(std::string_view line, std::string& solution, std::string& ms) {
  if (!SkipTo(line, " instance id=") || !SkipTo(line, ". ")) return false;
  const std::size_t unit = line.find("ms. ");
  if (unit == std::string_view::npos) return false;
  ms = line.substr(0, unit);
  line.remove_prefix(unit + 4);
  solution = line.substr(0, line.find(' '));
  return !solution.empty() && !core::MicrosecondsOf(std::string_view(ms)).empty();
}

// "2nd skip slow instance id=1, OP(PARAMS) Gemm_Rocblas_3": what was tried, and why not for long.
bool ReadTried(std::string_view line, std::string& solution) {
  if (!SkipTo(line, " id=")) return false;
  const std::size_t end = line.rfind(") ");
  if (end == std::string_view::npos) return false;
  solution = line.substr(end + 2);
  return !solution.empty();
}

bool IsLess(const std::string& a, const std::string& b) {
  const auto left = core::ParseNumber(a), right = core::ParseNumber(b);
  return left && right && *left < *right;
}

}  // namespace

void TunableLog::AddDriver(std::string_view text) {
  if (TakeWord(text, "device ")) {
    device_ = text;
  } else if (TakeWord(text, "torch ")) {
    version_ = text;
  } else if (TakeWord(text, "tuning ")) {
    ++begun_;
    open_ = nullptr;
  } else if (TakeWord(text, "failed ")) {
    failures_.emplace_back(text);
    open_ = nullptr;
  }
}

void TunableLog::Add(std::string_view line) {
  if (TakeWord(line, kDriver)) return AddDriver(line);
  // "Offline tuning is not supported for this GEMM. ... Skipped tuning for: tn_7168_1_2048_...".
  if (const std::size_t at = line.find(kNotOffline); at != std::string_view::npos) {
    failures_.emplace_back(line.substr(at));
    return;
  }
  core::TunableShape shape;
  if (ReadShape(line, shape)) {
    open_ = &candidates_[shape];
    return;
  }
  if (open_ == nullptr) return;
  std::string solution, ms;
  if (ReadTime(line, solution, ms)) {
    open_->tried.insert(solution);
    const auto [place, added] = open_->ms.try_emplace(solution, ms);
    if (!added && IsLess(ms, place->second)) place->second = ms;
  } else if (ReadTried(line, solution)) {
    open_->tried.insert(solution);
  }
}

}  // namespace tunehub::agent::engines
