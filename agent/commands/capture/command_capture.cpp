#include "agent/commands/capture/command_capture.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/aiter/untuned_table.h"
#include "agent/base/command_line.h"
#include "agent/commands/capture/capture_hits.h"
#include "agent/commands/capture/capture_report.h"
#include "core/system/stop_signals.h"

namespace tunehub::agent {
// While a log is followed the tables hold all that it has shown so far.
int CaptureToFiles(const Configuration& configuration, const CaptureOptions& options,
                   Console& console) {
  Missed missed;
  std::vector<UntunedTable> tables;
  const CaptureSink sink{[&](core::MissLog& log, bool) -> core::Status {
    missed = AllMissed(log, configuration);
    tables = UntunedTables(missed.shapes, options.raw, options.grid);
    if (options.output.empty()) return core::Ok();
    return WriteUntunedTables(options.output, tables);
  }};
  const auto counts = Capture(configuration, options, sink, console);
  if (!counts.ok()) return Fail(console, "capture", counts.error());
  if (options.json) {
    console.out << CaptureJson(*counts, tables, missed).dump(2) << '\n';
  } else {
    PrintCapture(console.out, *counts, tables, missed);
  }
  return HasFindings(*counts) ? kFinding : kGood;
}

int RunCapture(int argc, char** argv, Console& console) {
  CaptureOptions options;
  OnlineOptions online;
  std::string configs;
  cli::CommandLine line(
      "Finds the shapes in a log that AITER had no tuned row for; with --hub they are posted there "
      "as demand, or with --hits the hub's table is compared.",
      "tunehub-agent capture");
  AddCaptureOptions(line, options, configs);
  AddOnlineOptions(line, online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "capture", configuration.error());
  if (AsksForHub(argc, argv, online, !options.tables.empty())) {
    return CaptureWithHub(*configuration, options, online, console);
  }
  if (options.follow) options.stop = core::CatchStopSignals(core::SecondSignal::kIgnored);
  if (options.hits) {
    const auto tables = TablesOfFiles(*configuration, options);
    if (!tables.ok()) return Fail(console, "capture", tables.error());
    return CaptureHits(*configuration, options, *tables, console);
  }
  return CaptureToFiles(*configuration, options, console);
}

}  // namespace tunehub::agent
