#include "agent/engines/engine_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "core/base/trim.h"
#include "core/system/atomic_file.h"

namespace tunehub::agent::engines {

namespace fs = std::filesystem;
using tuners::AiterOutcome;

core::Result<fs::path> FreshFolder(const fs::path& work, const std::string& name) {
  if (auto made = core::MakeFolder(work); !made.ok()) return made.error();
  const std::string stamped = name + "_" + tuners::Stamp();
  for (int i = 0;; ++i) {
    const fs::path folder =
        fs::absolute(work) / (i == 0 ? stamped : fmt::format("{}_{}", stamped, i));
    std::error_code error;
    if (fs::create_directory(folder, error)) return folder;
    if (error) return core::Unwritable(folder, error);
  }
}

core::Status RunEngine(const tuners::AiterCommand& command, const EngineSettings& settings,
                       const EngineObserver& observer,
                       const std::function<void(std::string_view)>& line,
                       tuners::AiterReport& report) {
  if (auto made = core::MakeFolder(settings.logs); !made.ok()) return made.error();
  tuners::AiterOptions limits;
  limits.limit = settings.limit;
  limits.silence = settings.silence;
  limits.grace = settings.grace;
  tuners::AiterObserver watch;
  watch.note = observer.note;
  watch.stop = observer.stop;
  return tuners::RunScript(command, limits, watch, line, report);
}

void SettleOutcome(tuners::AiterReport& report) {
  const bool ended = report.outcome == AiterOutcome::kComplete ||
                     report.outcome == AiterOutcome::kPartial ||
                     report.outcome == AiterOutcome::kFailed;
  if (!ended) return;
  report.outcome = report.tuned == 0               ? AiterOutcome::kFailed
                   : report.tuned < report.shapes  ? AiterOutcome::kPartial
                   : report.ended == "exit code 0" ? AiterOutcome::kComplete
                                                   : AiterOutcome::kPartial;
}

std::string DeviceFileName(std::string_view name) {
  std::string text(core::Trim(name));
  std::ranges::replace(text, ' ', '_');
  return text;
}

}  // namespace tunehub::agent::engines
