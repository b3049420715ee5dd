#include "agent/tuning/speedup.h"

#include <cmath>
#include <map>

#include "agent/tuning/shapes.h"
#include "core/cell.h"
#include "core/csv.h"

namespace tunehub::agent::tuning {
namespace {

constexpr double kSlowerRatio = 1.005, kSlowerUs = 0.5;

Change ChangeOf(double before_us, double after_us) {
  if (before_us == 0) return Change::kNew;
  if (after_us == 0) return Change::kRemoved;
  if (before_us < kLeastGoldenUs) return Change::kIgnored;
  if (after_us > kSlowerRatio * before_us + kSlowerUs) return Change::kSlower;
  return before_us > kSlowerRatio * after_us + kSlowerUs ? Change::kFaster : Change::kSame;
}

}  // namespace

std::optional<double> SpeedupOf(const DoneShape& done) {
  if (!done.winner || !done.fallback) return std::nullopt;
  const Measurement& fallback = done.measurements[*done.fallback];
  if (!fallback.competes()) return std::nullopt;
  return Median(fallback.samples) / Median(done.measurements[*done.winner].samples);
}

double GeometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

const char* Name(Change change) {
  constexpr const char* kNames[] = {"faster", "same", "slower", "ignored", "new", "removed"};
  return kNames[static_cast<std::size_t>(change)];
}

core::Result<std::vector<Timed>> ReadTimes(const core::Family& family, const std::string& file,
                                           std::string_view csv) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  if (core::Status status = reader.First(record); !status.ok()) {
    return core::Error{status.error().code, file + ": " + status.error().detail};
  }
  std::map<std::string, std::size_t> fields;
  for (std::size_t i = 0; i < record.fields.size(); ++i) fields[std::string(record.fields[i])] = i;
  if (!fields.contains("us")) return core::Error{"no_times", file + ": has no column 'us'"};
  const auto cell = [&](const std::string& column) -> std::optional<std::string> {
    const auto found = fields.find(column);
    if (found == fields.end() || found->second >= record.fields.size()) return std::nullopt;
    return std::string(record.fields[found->second]);
  };
  std::vector<Timed> times;
  core::Result<bool> more = reader.Next(record);
  for (; more.ok() && *more; more = reader.Next(record)) {
    auto shape = ShapeOf(family, cell);
    if (!shape.ok()) {
      return core::Error{shape.error().code,
                         file + ":" + std::to_string(record.line) + ": " + shape.error().detail};
    }
    const double us = core::ParseNumber(cell("us").value_or("")).value_or(0);
    if (!(us > 0) || std::isinf(us)) continue;
    const auto gfx = cell("gfx"), cu_num = cell("cu_num");
    times.push_back(
        {gfx && cu_num ? *gfx + ":" + *cu_num : gfx.value_or(""), *std::move(shape), us});
  }
  if (!more.ok()) return core::Error{more.error().code, file + ": " + more.error().detail};
  return times;
}

std::vector<Compared> Compare(const std::vector<Timed>& before, const std::vector<Timed>& after) {
  std::vector<Compared> compared;
  std::map<std::string, std::size_t> places;
  const auto add = [&](const std::vector<Timed>& times, double Compared::*us) {
    for (const Timed& it : times) {
      const auto [place, fresh] =
          places.emplace(it.target + " " + TextOf(it.shape), compared.size());
      if (fresh) compared.push_back({it.target, it.shape});
      double& fastest = compared[place->second].*us;
      if (fastest == 0 || it.us < fastest) fastest = it.us;
    }
  };
  add(before, &Compared::before_us);
  add(after, &Compared::after_us);
  for (Compared& it : compared) it.change = ChangeOf(it.before_us, it.after_us);
  return compared;
}

}  // namespace tunehub::agent::tuning
