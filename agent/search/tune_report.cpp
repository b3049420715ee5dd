#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/search/device_spread.h"
#include "agent/search/tuning_bench.h"
#include "core/analysis/statistics.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;
using analysis::GeometricMean;

constexpr std::size_t kBarWidth = 24;
constexpr std::chrono::minutes kBetweenLines{1};  // pause between progress lines without a terminal
constexpr double kMostSpread = 0.05;              // the largest spread of samples without a warning

// "97.08 us (96.59 to 97.56, n = 20)", with four digits or more.
std::string TimeText(const std::vector<double>& samples, double spread) {
  const double us = Median(samples);
  const int decimals = us < 10 ? 3 : us < 100 ? 2 : 1;
  const std::string text = fmt::format("{:.{}f} us", us, decimals);
  const auto range = RangeOf(samples, spread);
  if (!range) return fmt::format("{} (n = {})", text, samples.size());
  return fmt::format("{} ({:.{}f} to {:.{}f}, n = {})", text, range->low, decimals, range->high,
                     decimals, samples.size());
}

// Returns the speed-up of the winner over the default; nothing if one of them has no time.
std::optional<double> SpeedupOf(const DoneShape& done) {
  if (!done.winner || !done.fallback) return std::nullopt;
  const Measurement& fallback = done.measurements[*done.fallback];
  if (!fallback.competes()) return std::nullopt;
  return Median(fallback.samples) / Median(done.measurements[*done.winner].samples);
}

Json ToJson(const TuneReport& report, const std::vector<double>& speedups) {
  const Summary& summary = report.summary;
  Json json = {{"gfx", report.target.gfx},   {"cu_num", report.target.cu_num},
               {"tuned", summary.tuned},     {"skipped", summary.skipped},
               {"failed", summary.failed},   {"unsupported", summary.unsupported},
               {"stopped", summary.stopped}, {"run", report.outbox.RunId(summary.run_key)},
               {"waiting", report.waiting},  {"refused", report.outbox.messages()},
               {"shapes", Json::array()}};
  if (!speedups.empty()) json["geometric_mean_speedup"] = GeometricMean(speedups);
  for (const DoneShape& done : summary.shapes) json["shapes"].push_back(ToJson(done));
  return json;
}

}  // namespace

void Progress::Begin(std::size_t index, std::size_t total, const std::string& shape,
                     std::size_t candidates) {
  index_ = index;
  total_ = total;
  shape_ = shape;
  candidates_ = candidates;
  screened_ = 0;
  Show();
}

void Progress::Screened(const Measurement&) {
  ++screened_;
  Show();
}

void Progress::Show() {
  const double of_shape =
      candidates_ == 0
          ? 0
          : std::min(1.0, static_cast<double>(screened_) / static_cast<double>(candidates_));
  eta_.Done(static_cast<double>(index_) + of_shape, static_cast<double>(total_));
  if (options_.terminal) {
    DrawBar();
  } else {
    SayNowAndThen();
  }
}

void Progress::DrawBar() {
  const std::size_t full = total_ == 0 ? 0 : kBarWidth * index_ / total_;
  std::string bar(full, '#');
  bar.resize(kBarWidth, '.');
  std::fprintf(options_.err, "\r\033[K[%s] %zu/%zu%s; %s: %zu of %zu candidates", bar.c_str(),
               index_, total_, eta_.Text().c_str(), shape_.c_str(), screened_, candidates_);
  std::fflush(options_.err);
}

void Progress::ClearBar() {
  if (options_.terminal) std::fputs("\r\033[K", options_.err);
}

void Progress::SayNowAndThen() {
  const auto now = options_.now();
  if (now - said_ < kBetweenLines) return;
  said_ = now;
  std::fprintf(options_.err, "tunehub-agent: %zu of %zu shapes%s\n", index_, total_,
               eta_.Text().c_str());
  std::fflush(options_.err);
}

std::string Progress::LineOf(const DoneShape& done) const {
  const std::string shape = TextOf(done.shape) + ": ";
  if (!done.tuned_by.empty()) return shape + "tuned by " + done.tuned_by;
  if (!done.winner)
    return shape + (options_.searches ? "not tuned: " : "not measured: ") + done.reason;
  const Measurement& winner = done.measurements[*done.winner];
  std::string line = shape + fmt::format("{}, {}", TextOf(winner.candidate),
                                         TimeText(winner.samples, done.spread));
  if (!options_.searches) return line;
  if (const auto speedup = SpeedupOf(done)) {
    line += fmt::format(", {:.2f} times the default's speed", *speedup);
  }
  return line + ", " + std::to_string(done.measurements.size()) + " candidates tried";
}

void Progress::Finished(const DoneShape& done) {
  ClearBar();
  for (std::ostream* out : {out_, options_.log}) {
    if (out != nullptr) *out << LineOf(done) << std::endl;
  }
  if (!done.winner) return;
  const double spread = Spread(done.measurements[*done.winner].samples);
  if (spread <= kMostSpread) return;
  Note(fmt::format(
      "{}: the samples differ by {:.0f} %, because the device has other work or its clock changes",
      TextOf(done.shape), 100 * spread));
}

void Progress::Note(const std::string& text) {
  ClearBar();
  std::fprintf(options_.err, "tunehub-agent: %s\n", core::PlainText(text).c_str());
  if (options_.log != nullptr) *options_.log << text << std::endl;
  if (options_.terminal) DrawBar();
}

nlohmann::ordered_json ToJson(const DoneShape& done) {
  Json json = {{"shape", done.shape}};
  if (!done.tuned_by.empty()) {
    json["tuned_by"] = done.tuned_by;
    return json;
  }
  if (!done.winner) {
    json["reason"] = done.reason;
    return json;
  }
  const Measurement& winner = done.measurements[*done.winner];
  json["candidate"] = winner.candidate;
  json["us"] = Median(winner.samples);
  json["spread"] = Spread(winner.samples);
  json["n"] = winner.samples.size();
  if (const auto range = RangeOf(winner.samples, done.spread)) {
    json["us_low"] = range->low;
    json["us_high"] = range->high;
  }
  json["error"] = winner.error;
  json["measured"] = done.measurements.size();
  if (const auto speedup = SpeedupOf(done)) json["speedup"] = *speedup;
  return json;
}

void TuneReport::PrintWaiting(std::ostream& err) const {
  if (has_hub && !outbox.last_error().empty()) {
    err << waiting << " batches wait in the spool: " << outbox.last_error() << '\n';
  }
  if (!has_hub && !has_file && waiting > 0) {
    err << waiting
        << " batches wait in the spool, and no hub is set for them: `tunehub-agent push --hub URL "
        << "--from none` sends them\n";
  }
}

int TuneReport::Print(bool json, Console& console) const {
  std::vector<double> speedups;
  for (const DoneShape& done : summary.shapes) {
    if (const auto speedup = SpeedupOf(done)) speedups.push_back(*speedup);
  }
  const bool complete = summary.failed == 0 && summary.unsupported == 0 && !summary.stopped;
  const bool delivered = !has_hub || (outbox.last_error().empty() && outbox.refused() == 0);
  if (json) {
    console.out << ToJson(*this, speedups).dump() << '\n';
  } else {
    const char* const done = bench ? "measured" : "tuned";
    console.out << summary.tuned << ' ' << done << ", " << summary.skipped << " were " << done
                << " already, " << summary.failed << " failed, " << summary.unsupported
                << " not supported";
    if (!speedups.empty() && !bench) {
      console.out << "; geometric mean of the speed-ups over the default "
                  << Json(std::round(GeometricMean(speedups) * 100) / 100).dump();
    }
    console.out << (summary.stopped ? "; stopped before the end\n" : "\n");
  }
  for (const std::string& message : outbox.messages())
    console.err << BeginError << message << '\n' << EndError;
  PrintWaiting(console.err);
  return complete && delivered ? kGood : kFinding;
}

core::Status Outputs::OpenProfile(const std::string& path) {
  profile_path_ = path;
  profile_.open(path, std::ios::trunc);
  profile_ << family_.Header(true) << std::endl;
  if (profile_) return core::Ok();
  return core::Error{"file_unwritable", path + ": cannot be written"};
}

void Outputs::Begin(std::size_t index, std::size_t total, const std::string& shape,
                    std::size_t candidates) {
  next_.Begin(index, total, shape, candidates);
}

void Outputs::Finished(const DoneShape& done) {
  if (tuned_ && done.winner) {
    auto status = tuned_->Put(target_, done.shape, done.measurements[*done.winner]);
    if (!status.ok() && status_.ok()) status_ = status;
  }
  if (profile_.is_open()) {
    for (const Measurement& it : done.measurements) {
      profile_ << LineOf(family_, target_, done.shape, it) << '\n';
    }
    profile_.flush();
    if (!profile_ && status_.ok()) {
      status_ = core::Error{"file_unwritable", profile_path_ + ": cannot be written"};
    }
  }
  next_.Finished(done);
}

void Outputs::Known(const std::vector<TunedRow>& rows) {
  if (tuned_ && status_.ok()) status_ = tuned_->Fill(rows);
  next_.Known(rows);
}

}  // namespace tunehub::agent
