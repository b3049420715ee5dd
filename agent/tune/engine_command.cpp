#include "agent/tune/engine_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "agent/base/command.h"
#include "agent/engines/triton_tuner.h"
#include "agent/engines/tunable_tuner.h"
#include "agent/search/script_batch.h"
#include "agent/search/tune_command.h"
#include "agent/tune/script_options.h"
#include "core/base/atomic_file.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/row/tunable_line.h"

namespace tunehub::agent {
namespace {

EngineObserver MakeObserver() {
  EngineObserver observer;
  observer.stop = core::CatchStopSignals();
  observer.note = [](const std::string& text) {
    std::fprintf(stderr, "tunehub-agent: %s\n", text.c_str());
  };
  if (::isatty(STDERR_FILENO) == 1) {
    observer.progress = [](const std::string& text) {
      std::fprintf(stderr, "\r\033[K%s", text.c_str());
    };
  }
  return observer;
}

// The shapes of an untuned file: PyTorch's, or a table with its two columns. Each once.
core::Result<std::vector<core::TunableShape>> ReadTunableShapes(const std::string& file) {
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return bytes.error();
  std::vector<core::TunableShape> shapes;
  std::set<core::TunableShape> seen;
  std::size_t line = 0;
  for (const std::string_view text : core::SplitAfter(bytes->view(), "\n")) {
    ++line;
    if (core::TunableFields(text).empty() || (line == 1 && text.starts_with("op,params"))) continue;
    auto shape = core::ReadUntunedLine(text);
    if (!shape) {
      return core::Error{"bad_untuned_file",
                         fmt::format("{}:{}: '{}' is no line of TunableOp's, operator,parameters",
                                     file, line, core::Excerpt(text))};
    }
    if (core::IsPattern(*shape)) {
      return core::Error{
          "bad_untuned_file",
          fmt::format("{}:{}: {} is a pattern, which cannot be timed", file, line, shape->params)};
    }
    if (seen.insert(*shape).second) shapes.push_back(*std::move(shape));
  }
  return shapes;
}

core::Result<EngineRun> TuneTunableOp(const TuneOptions& options, const EngineSettings& settings,
                                      const EngineObserver& observer) {
  const auto shapes = ReadTunableShapes(options.input);
  if (!shapes.ok()) return shapes.error();
  TunableSettings tunable{settings, {}, {}};
  if (options.IsGiven("--iters")) tunable.iters = options.search.rounds;
  if (options.IsGiven("--warmup")) tunable.warmup = options.search.warmup;
  return TuneTunable(tunable, *shapes, observer);
}

core::Result<EngineRun> TuneByScript(const TuneOptions& options, const EngineSettings& settings,
                                     const Configuration& configuration,
                                     const EngineObserver& observer) {
  const auto* const script = FindEngineScript(options.tuner, EngineFamily(options));
  const auto read = FileRowsOf(configuration, *script);
  if (!read.ok()) return read.error();
  const TritonSettings triton{settings, options.engine};
  return TuneTriton(triton, *script, EngineWorkOf(options), *read, observer);
}

core::Status WriteFound(const std::string& folder, const EngineRun& run) {
  if (folder.empty()) return core::Ok();
  for (const auto& [path, bytes] : run.files) {
    const std::filesystem::path file = std::filesystem::path(folder) / path;
    if (auto made = core::MakeFolder(file.parent_path()); !made.ok()) return made;
    if (auto written = core::WriteAtomically(file, bytes); !written.ok()) return written;
  }
  return core::Ok();
}

nlohmann::ordered_json ToJson(const EngineRun& run) {
  nlohmann::ordered_json json = ToJson(run.report);
  json["family"] = run.family;
  json["device"] = run.device;
  json["measured"] = run.measured;
  json["declared"] = run.declared;
  json["defaults"] = run.defaults;
  json["versions"] = run.versions;
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  for (const auto& [path, bytes] : run.files) found.push_back(path);
  json["found"] = found;
  return json;
}

void Print(const EngineRun& run, bool json, Console& console) {
  if (json) {
    console.out << ToJson(run).dump() << '\n';
    return;
  }
  for (const auto& [path, bytes] : run.files) console.out << path << '\n';
  for (const std::string& remark : run.report.remarks) console.err << remark << '\n';
  console.out << fmt::format(
      "{} of {} tuned ({}, {}); {} rows with a time, {} of them the default's, {} without one\n",
      run.report.tuned, run.report.shapes, Name(run.report.outcome), run.report.ended, run.measured,
      run.defaults, run.declared);
}

int ExitCodeOf(const AiterReport& report) {
  if (report.outcome == AiterOutcome::kComplete) return kGood;
  return report.tuned > 0 ? kFinding : kFailed;
}

// Into the spool, and on to the hub. The exit code is at least that of what could not be sent.
core::Result<int> Deliver(const TuneOptions& options, const EngineRun& run, Bench& bench,
                          Console& console) {
  const int code = ExitCodeOf(run.report);
  if (run.rows.empty()) return code;
  const auto new_run =
      EngineRunOf(run, bench.device, bench.configuration.targets.devices(), options.arguments, "");
  if (!new_run.ok()) return new_run.error();
  Outbox outbox(bench.spool, bench.hub.get(), {});
  if (auto status = SpoolRows(run, *new_run, outbox); !status.ok()) return status.error();
  const bool delivered = bench.hub == nullptr || outbox.Drain(options.online.retry);
  for (const std::string& message : outbox.messages()) console.err << message << '\n';
  if (!delivered) console.err << "results wait in the spool: " << outbox.last_error() << '\n';
  return code == kGood && (!delivered || outbox.refused() > 0) ? kFinding : code;
}

}  // namespace

int TuneByEngine(const TuneOptions& options, Console& console) {
  auto bench = OpenBench(options);
  if (!bench.ok()) return Fail(console, "tune", bench.error());
  const std::string family = EngineFamily(options);
  if (bench->configuration.families.Find(family) == nullptr) {
    return Fail(console, "tune", {"unknown_family", "--configs has no family " + family});
  }
  const auto settings = EngineSettingsOf(options, bench->device.kind == "amd");
  const auto observer = MakeObserver();
  const auto run = options.tuner == kTunableOp
                       ? TuneTunableOp(options, settings, observer)
                       : TuneByScript(options, settings, bench->configuration, observer);
  if (!run.ok()) return Fail(console, "tune", run.error());
  if (auto status = WriteFound(options.output, *run); !status.ok()) {
    return Fail(console, "tune", status.error());
  }
  const auto code = Deliver(options, *run, *bench, console);
  if (!code.ok()) return Fail(console, "tune", code.error());
  Print(*run, options.json, console);
  return *code;
}

}  // namespace tunehub::agent
