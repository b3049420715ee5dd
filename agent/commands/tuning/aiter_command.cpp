#include "agent/commands/tuning/aiter_command.h"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/aiter/tuners/aiter_tuner.h"
#include "agent/base/command_line.h"
#include "agent/base/eta.h"
#include "agent/commands/tuning/aiter_options.h"
#include "agent/tuning/aiter_batch.h"
#include "agent/tuning/tuned_file.h"
#include "core/system/atomic_file.h"
#include "core/system/stop_signals.h"

namespace tunehub::agent::tuning {
namespace {

using tuners::AiterOutcome;

constexpr double kPercent = 100;

tuners::AiterOptions OptionsOf(const TuneOptions& options, const TuneInput& input) {
  TuneTask task;
  task.family = input.family;
  task.shapes = input.shapes;
  const std::filesystem::path state =
      options.state.empty() ? DefaultState() : std::filesystem::path(options.state);
  tuners::AiterOptions aiter = AiterOptionsOf(options, state);
  aiter.work = JournalPath(state, task, "aiter").replace_extension(".aiter");
  // A GPU that is named, and with --mp those behind it; else every one that AITER sees.
  const auto device = ReadDeviceOption(options.device);
  const bool named = options.device.find(':') != std::string::npos && device.ok();
  for (int i = 0; named && i < options.mp; ++i) aiter.devices.push_back(device->index + i);
  return aiter;
}

tuners::AiterObserver ObserverFor(const TuneOptions& options) {
  tuners::AiterObserver observer;
  observer.stop = options.search.stop ? options.search.stop : core::CatchStopSignals();
  observer.note = [](const std::string& text) {
    std::fprintf(stderr, "tunehub-agent: %s\n", text.c_str());
  };
  if (::isatty(STDERR_FILENO) == 1) {
    observer.progress = [eta = Eta()](const tuners::AiterProgress& progress) mutable {
      eta.Done(progress.percent, kPercent);
      std::fprintf(stderr, "\r\033[Kbatch %d of %d, %.1f %% tuned%s", progress.batches_done,
                   progress.batches, progress.percent, eta.Text().c_str());
    };
  }
  return observer;
}

// What was asked for as files.
core::Status WriteFiles(const TuneOptions& options, const core::Family& family,
                        const core::Targets& targets, const tuners::AiterRun& run) {
  if (!options.profile.empty() && !run.candidates_csv.empty()) {
    if (auto status = core::WriteAtomically(options.profile, run.candidates_csv); !status.ok()) {
      return status;
    }
  }
  if (options.output.empty() || run.tuned_csv.empty()) return core::Ok();
  auto file = TunedFile::Open(family, targets, options.output);
  if (!file.ok()) return file.error();
  return file->PutTable(run.tuned_csv);
}

int ExitCode(const tuners::AiterReport& report) {
  if (report.outcome == AiterOutcome::kComplete) return kGood;
  return report.tuned > 0 ? kFinding : kFailed;
}

void Print(const tuners::AiterReport& report, bool json, Console& console) {
  if (json) {
    console.out << tuners::ToJson(report).dump() << '\n';
    return;
  }
  console.out << report.tuned << " of " << report.shapes << " shapes tuned ("
              << tuners::Name(report.outcome) << ", " << report.ended << "), " << report.candidates
              << " candidates, " << report.rejected << " above the error limit\n";
}

struct Opened {
  tuners::AiterTuner tuner;
  tuners::AiterPlan plan;
};

core::Result<Opened> Open(const TuneOptions& options, const TuneInput& input, const Bench& bench) {
  const core::Status fits = CheckAiterFamily(options, *input.family);
  if (!fits.ok()) return fits.error();
  auto tuner = tuners::AiterTuner::Open(OptionsOf(options, input), bench.configuration.targets);
  if (!tuner.ok()) return tuner.error();
  auto plan = tuner->Plan(*input.family, UntunedRows(*input.family, input.shapes));
  if (!plan.ok()) return plan.error();
  return Opened{*std::move(tuner), *std::move(plan)};
}

}  // namespace

int TuneByAiter(const TuneOptions& options, const TuneInput& input, Bench& bench,
                Console& console) {
  const auto aiter = Open(options, input, bench);
  if (!aiter.ok()) return Fail(console, "tune", aiter.error());
  const auto new_run = AiterRunOf(aiter->tuner, aiter->plan, bench.device,
                                  bench.configuration.targets.devices(), options.arguments, "");
  if (!new_run.ok()) return Fail(console, "tune", new_run.error());
  const auto run = aiter->tuner.Run(aiter->plan, ObserverFor(options));
  if (!run.ok()) return Fail(console, "tune", run.error());
  Outbox outbox(bench.spool, bench.hub.get(), {});
  auto status = core::Ok();
  if (!run->candidates_csv.empty()) {
    status = SpoolCandidates(*input.family, run->candidates_csv, *new_run, outbox);
  }
  if (status.ok()) status = WriteFiles(options, *input.family, bench.configuration.targets, *run);
  if (!status.ok()) return Fail(console, "tune", status.error());
  const bool delivered = bench.hub == nullptr || outbox.Drain(options.online.retry);
  for (const std::string& message : outbox.messages()) console.err << message << '\n';
  if (!delivered) console.err << "results wait in the spool: " << outbox.last_error() << '\n';
  Print(run->report, options.json, console);
  const int code = ExitCode(run->report);
  return code == kGood && (!delivered || outbox.refused() > 0) ? kFinding : code;
}

int BenchByAiter(const TuneOptions& options, const TuneInput& input, Bench& bench,
                 Console& console) {
  const auto aiter = Open(options, input, bench);
  if (!aiter.ok()) return Fail(console, "bench", aiter.error());
  const auto observer = ObserverFor(options);
  const auto measured =
      input.purpose == Purpose::kAfter
          ? aiter->tuner.BenchAfter(aiter->plan, std::filesystem::absolute(options.input), observer)
          : aiter->tuner.BenchBefore(aiter->plan, observer);
  if (!measured.ok()) return Fail(console, "bench", measured.error());
  if (!options.output.empty()) {
    const auto status = core::WriteAtomically(options.output, measured->csv);
    if (!status.ok()) return Fail(console, "bench", status.error());
  } else {
    console.out << measured->csv;
  }
  if (options.json) Print(measured->report, true, console);
  return ExitCode(measured->report);
}

}  // namespace tunehub::agent::tuning
