#include "agent/aiter/tuners/aiter_output.h"

#include <algorithm>
#include <cmath>

#include "core/base/split.h"
#include "core/base/trim.h"
#include "core/row/cell.h"

namespace tunehub::agent::tuners {
namespace {

constexpr std::string_view kStatuses[] = {"OK", "ERROR", "MISMATCH"};

// What follows `head`, up to `tail`; moves `text` behind it. Nothing where either is absent.
std::optional<std::string_view> Between(std::string_view& text, std::string_view head,
                                        std::string_view tail) {
  const std::size_t begin = text.find(head);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(begin + head.size());
  const std::size_t end = rest.find(tail);
  if (end == std::string_view::npos) return std::nullopt;
  text = rest.substr(end);
  return core::Trim(rest.substr(0, end));
}

// "shape | us | OK"
std::optional<AiterTiming> TimingOf(std::string_view line) {
  const std::size_t last = line.rfind('|');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  const std::size_t first = line.rfind('|', last - 1);
  if (first == std::string_view::npos) return std::nullopt;
  const std::string_view status = core::Trim(line.substr(last + 1));
  if (std::ranges::find(kStatuses, status) == std::end(kStatuses)) return std::nullopt;
  AiterTiming timing;
  timing.status = status;
  const auto us = core::ParseNumber(core::Trim(line.substr(first + 1, last - first - 1)));
  if (us && std::isfinite(*us) && *us > 0) timing.us = us;
  return timing;
}

struct Heading {
  std::string_view text;
  AiterReportOf of;
};
constexpr Heading kHeadings[] = {
    {"production operator benchmark (default)", AiterReportOf::kDefault},
    {"production operator benchmark (tuned)", AiterReportOf::kTuned},
    {"Running pre-tune benchmark", AiterReportOf::kDefault},
    {"Running post-tune benchmark", AiterReportOf::kTuned},
    {"Tune Performance Comparison", AiterReportOf::kDefault},
    {"Compare Report", AiterReportOf::kUnsaid},
};

// "shape | before | after | speed-up | OK" of --compare: the time before.
std::optional<AiterTiming> ComparedOf(std::string_view line) {
  std::vector<std::string_view> fields = core::SplitAt(line, "|");
  std::ranges::transform(fields, fields.begin(), core::Trim);
  constexpr std::size_t kFields = 5;
  if (fields.size() != kFields || !fields[3].ends_with('x')) return std::nullopt;
  AiterTiming timing;
  timing.status = kStatuses[0];  // the last field is of the run after it
  const auto us = core::ParseNumber(fields[1]);
  if (us && std::isfinite(*us) && *us > 0) timing.us = us;
  return timing;
}

// "M=16, N=1280"
void ReadKeys(std::string_view text, std::map<std::string, std::string>& keys) {
  for (std::string_view item : core::SplitAt(text, ",")) {
    item = core::Trim(item);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    keys[std::string(item.substr(0, equals))] = item.substr(equals + 1);
  }
}

}  // namespace

bool ReadProgress(std::string_view line, AiterProgress& progress) {
  constexpr std::string_view kResult = "Tuning result for ";
  if (const std::size_t at = line.find(kResult); at != std::string_view::npos) {
    progress.last = core::Trim(line.substr(at + kResult.size()));
    return true;
  }
  const auto done = Between(line, "processed ", " batches of ");
  const auto batches = Between(line, " batches of ", ",");
  const auto percent = Between(line, "====> ", "%");
  if (!done || !batches || !percent) return false;
  const auto done_count = core::ParseInt(*done), count = core::ParseInt(*batches);
  const auto share = core::ParseNumber(*percent);
  if (!done_count || !count || !share) return false;
  progress.batches_done = *done_count;
  progress.batches = *count;
  progress.percent = *share;
  return true;
}

void AiterReportReader::Add(std::string_view line) {
  constexpr std::string_view kKeys = "keys:", kReason = "reason:";
  const std::string_view text = core::Trim(line);
  for (const Heading& heading : kHeadings) {
    if (text.find(heading.text) != std::string_view::npos) of_ = heading.of;
  }
  auto timing = ComparedOf(text);
  if (!timing) timing = TimingOf(text);
  if (timing) {
    timing->of = of_;
    timings_.push_back(*std::move(timing));
    open_ = true;
  } else if (open_ && text.starts_with(kKeys)) {
    ReadKeys(text.substr(kKeys.size()), timings_.back().keys);
  } else if (open_ && text.starts_with(kReason)) {
    timings_.back().reason = core::Trim(text.substr(kReason.size()));
  } else {
    open_ = false;
  }
}

}  // namespace tunehub::agent::tuners
