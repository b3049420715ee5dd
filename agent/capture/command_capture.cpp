#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/aiter/untuned_table.h"
#include "agent/base/command.h"
#include "agent/capture/capture.h"
#include "agent/capture/commands.h"
#include "agent/hub/http_client.h"
#include "agent/hub/outbox.h"
#include "core/base/process.h"

namespace tunehub::agent {
namespace {

void PrintSent(std::ostream& out, const DemandSent& sent) {
  out << sent.shapes << " shapes posted (" << sent.new_shapes << " new to the hub), missed "
      << sent.count << " times\n";
  if (sent.rejected > 0) {
    out << sent.rejected << " rejected; the first: " << sent.first_rejected << '\n';
  }
  if (sent.dropped_posts > 0) {
    out << sent.dropped_posts
        << " posts were dropped, because the hub was unreachable for too long\n";
  }
}

nlohmann::ordered_json SentJson(const DemandSent& sent) {
  return {{"posts", sent.posts},       {"shapes", sent.shapes},
          {"new", sent.new_shapes},    {"count", sent.count},
          {"rejected", sent.rejected}, {"dropped_posts", sent.dropped_posts}};
}

// Refuses all shapes if one of them lacks a GPU, because no agent could tune that shape. (Files of
// engines name their device.)
core::Status CheckTargets(const std::vector<core::MissShape>& shapes) {
  const auto lacks = [](const core::MissShape& shape) {
    return shape.gfx.empty() && shape.family->engine == core::kNoColumn;
  };
  const auto count = std::ranges::count_if(shapes, lacks);
  if (count == 0) return core::Ok();
  return core::Error{"no_gpu",
                     fmt::format("nothing was posted: {} of {} shapes name no GPU, and this host "
                                 "has no AMD GPU. Name the GPU, such as --gfx MI300X",
                                 count, shapes.size())};
}

// Posts demand to the hub, or compares the log with the hub's table.
int CaptureWithHub(const Configuration& configuration, CaptureOptions options,
                   const OnlineOptions& online, Console& console) {
  if (options.follow && !options.output.empty()) {
    return Fail(
        console, "capture",
        {"bad_follow",
         "leave out -o: with --hub and --follow the tables would contain only the last interval"});
  }
  if (!options.tables.empty()) {
    return Fail(
        console, "capture",
        {"two_tables", "give either --table or --hub: capture compares the hits with one table"});
  }
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "capture", hub.error());
  if (options.follow) options.stop = core::CatchStopSignals(core::SecondSignal::kIgnored);
  if (options.hits) {
    const Pauses pauses = Pauses::Real();
    return CaptureHits(configuration, options,
                       TablesOfHub(configuration, options, **hub, online.retry, pauses), console);
  }
  return CaptureToHub(configuration, options, **hub, online.retry, Pauses::Real(), console);
}

}  // namespace

// With --follow, each interval writes tables of all shapes so far.
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
      "Finds in a log the shapes for which AITER had no tuned row. With --hub, posts these shapes "
      "as demand. With --hits, compares the rows that AITER found with a table.",
      "tunehub-agent capture");
  line.Add("FILE", options.logs,
           "logs of engines (also gzip), or untuned files of AITER or TunableOp, or a folder of "
           "such files; - reads a pipe");
  const auto output = line.Add("-o,--output", options.output, "folder for AITER's untuned tables");
  AddLogOptions(line, options, configs);
  const auto raw =
      line.AddFlag("--raw", options.raw, "write the shapes as logged; do not pad M as lookups do");
  line.Add("--grid", options.grid,
           "write each captured (N, K) with each M of this list: pow2 (powers of two) or gl0 "
           "(AITER's fine grid, up to 80,000)")
      .OneOf({"pow2", "gl0"})
      .Needs(output)
      .Excludes(raw);
  const auto hits = line.AddFlag("--hits", options.hits,
                                 "report the rows of a table that AITER found, and the rows that "
                                 "it never found (needs a log with AITER_LOG_TUNED_CONFIG=1)");
  line.Add("--table", options.tables,
           "with --hits: the tuned files to compare with; default: the hub's table")
      .Needs(hits);
  hits.Excludes(output);
  line.AddFlag("--follow", options.follow, "keep reading the log while it grows");
  line.Add("--interval", options.interval_s, "seconds between two reports while following")
      .Range(1, 86'400)
      .ShowDefault();
  line.AddFlag("--json", options.json, "print the report as JSON");
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

int CaptureToHub(const Configuration& configuration, const CaptureOptions& options, HubClient& hub,
                 const RetryPolicy& retry, const Pauses& pauses, Console& console) {
  DemandSender sender(hub, retry, pauses);
  Missed missed;  // taken from the sink's last call
  std::vector<UntunedTable> tables;
  core::Status refused = core::Ok();
  CaptureOptions until_refused = options;
  until_refused.stop = [&] { return !refused.ok() || options.stop(); };
  const CaptureSink sink{[&](core::MissLog& log, bool last) -> core::Status {
    if (!refused.ok()) return refused;
    missed = TakeMissed(log, configuration);
    const LogTarget target = TargetOfLog({}, missed.shapes, options.device_root);
    missed.shapes = WithTarget(std::move(missed.shapes), target.target);
    refused = CheckTargets(missed.shapes);
    if (!refused.ok()) return refused;
    sender.Add(missed.shapes);
    if (last) tables = UntunedTables(missed.shapes, options.raw, options.grid);
    const core::Status written =
        last && !options.output.empty() ? WriteUntunedTables(options.output, tables) : core::Ok();
    return written.ok() ? sender.Send() : written;
  }};
  const auto counts = Capture(configuration, until_refused, sink, console);
  if (!counts.ok()) {
    // Prints which shapes the hub has counted, since a second try would count them twice.
    if (sender.sent().posts > 0) PrintSent(console.err, sender.sent());
    return Fail(console, "capture", counts.error());
  }
  if (options.json) {
    auto report = CaptureJson(*counts, tables, missed);
    report["sent"] = SentJson(sender.sent());
    console.out << report.dump(2) << '\n';
  } else {
    PrintCapture(console.out, *counts, tables, missed);
    PrintSent(console.out, sender.sent());
  }
  const bool complete = sender.sent().rejected == 0 && sender.sent().dropped_posts == 0;
  return HasFindings(*counts) || !complete ? kFinding : kGood;
}

}  // namespace tunehub::agent
