#include "agent/aiter/tuners/script_run.h"

#include <fmt/core.h>

#include <chrono>

#include "core/system/child_process.h"

namespace tunehub::agent::tuners {
namespace {

AiterOutcome OutcomeOf(const core::ChildEnd& end) {
  switch (end.why) {
    case core::ChildEnd::Why::kStopped:
      return AiterOutcome::kStopped;
    case core::ChildEnd::Why::kTooLong:
    case core::ChildEnd::Why::kSilent:
      return AiterOutcome::kTimedOut;
    case core::ChildEnd::Why::kItself:
      break;
  }
  if (end.signal != 0) return AiterOutcome::kCrashed;
  if (end.code == 0) return AiterOutcome::kComplete;
  return end.code == 1 ? AiterOutcome::kPartial : AiterOutcome::kFailed;
}

}  // namespace

core::Status RunScript(const AiterCommand& command, const AiterOptions& options,
                       const AiterObserver& observer,
                       const std::function<void(std::string_view)>& line, AiterReport& report) {
  const auto began = std::chrono::steady_clock::now();
  core::ChildCommand child{command.arguments, command.environment, command.folder, command.log};
  std::string last;
  const auto keep = [&](std::string_view text) {
    if (!text.empty()) last = text;
    observer.line(text);
    line(text);
  };
  core::ChildLimits limits;
  limits.whole = options.limit;
  limits.silence = options.silence;
  limits.grace = options.grace;
  report.files.push_back(command.log);
  for (;;) {
    auto ended = core::RunChild(child, limits, keep, observer.stop);
    if (!ended.ok() && ended.error().code == "child_unstartable") {
      return core::Error{"tuner_unstartable", ended.error().detail};
    }
    if (!ended.ok()) return ended.error();
    ++report.starts;
    report.ended = ended->Text();
    report.outcome = OutcomeOf(*ended);
    if (report.outcome != AiterOutcome::kCrashed || report.starts >= command.most_starts) break;
    observer.note(
        fmt::format("{} ended with {}; it is started once more", command.whose, report.ended));
    std::erase(child.arguments, kRetuneAll);  // what was done before the crash is done
  }
  if (report.outcome == AiterOutcome::kFailed) {
    observer.note(fmt::format("{} ended with {}: {}", command.whose, report.ended, last));
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return core::Ok();
}

}  // namespace tunehub::agent::tuners
