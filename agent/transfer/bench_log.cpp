#include "agent/transfer/bench_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "agent/engines/aiter_results.h"
#include "agent/engines/script_command.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kBefore = "_bench_before_", kTuning = "_tuning_";

const core::Family* FamilyOfLog(const core::Families& families, const std::string& named,
                                const std::string& file) {
  if (!named.empty()) return families.Find(named);
  for (const auto& family : families.all()) {
    const std::string variant(VariantName(*family));
    for (const std::string_view step : {kBefore, kTuning}) {
      if (file.starts_with(variant + std::string(step))) return family.get();
    }
  }
  return nullptr;
}

}  // namespace

core::Result<BenchLog> ReadBenchLog(const core::Families& families, const std::string& family,
                                    const std::string& path, std::string_view text) {
  const std::string file = std::filesystem::path(path).filename().string();
  BenchLog log;
  log.family = FamilyOfLog(families, family, file);
  if (log.family == nullptr || log.family->tune_script.empty()) {
    return core::Error{
        "unknown_family",
        fmt::format("{}: is no VARIANT_bench_before_TIME.log or VARIANT_tuning_TIME.log of AITER's "
                    "variants; --family says which one it is of",
                    path)};
  }
  AiterReportReader reader;
  for (const std::string_view line : core::SplitAfter(text, "\r\n")) reader.Add(line);
  auto timings = reader.timings();
  const bool is_before = file.find(kBefore) != std::string::npos;
  std::erase_if(timings, [&](const AiterTiming& timing) {
    return timing.of != AiterReportOf::kDefault &&
           !(is_before && timing.of == AiterReportOf::kUnsaid);
  });
  const auto rows = DefaultRows(*log.family, timings, {});
  if (rows.rows == 0) {
    return core::Error{
        "no_baseline",
        fmt::format("{}: {} reports of defaults, none with a time, a status OK and a GPU", path,
                    timings.size())};
  }
  log.json = rows.json;
  log.provenance = {"tuner=aiter " + log.family->tune_script + " --run_config", "provider=aiter",
                    "note=" + file};
  return log;
}

}  // namespace tunehub::agent
