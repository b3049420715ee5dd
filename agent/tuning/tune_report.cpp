#include "agent/tuning/tune_report.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/analysis/statistics.h"

namespace tunehub::agent::tuning {
namespace {

using Json = nlohmann::ordered_json;
using analysis::GeometricMean;

// Of the winner over the untuned choice; nothing where either has no time.
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
    err << waiting << " batches wait in the spool, for no hub: `tunehub-agent push --hub URL "
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
  for (const std::string& message : outbox.messages()) console.err << message << '\n';
  PrintWaiting(console.err);
  return complete && delivered ? kGood : kFinding;
}

}  // namespace tunehub::agent::tuning
