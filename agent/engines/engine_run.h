// What a run of an engine's own tune script leaves: rows that can be pushed, and files as the
// engine reads them.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/aiter/tuners/aiter_results.h"
#include "agent/aiter/tuners/script_run.h"
#include "core/base/result.h"

namespace tunehub::agent::engines {

// A compiler that says nothing for as long is not working; sweeps of one batch size take minutes.
inline constexpr std::chrono::seconds kEngineSilence{3600};

// What all engines' runs have in common.
struct EngineSettings {
  std::string python = "python3";
  std::filesystem::path work;                      // a folder of its own is made in it for each run
  std::filesystem::path logs;                      // made
  std::map<std::string, std::string> environment;  // which GPUs the script sees
  std::vector<std::string> extra;                  // appended to every command as they are
  std::chrono::seconds limit{0};                   // of one script; 0: none
  std::chrono::seconds silence = kEngineSilence;
  std::chrono::milliseconds grace{5000};
};

struct EngineRun {
  std::string family;
  std::string tuner;  // "vllm benchmark_moe.py", of the run's provenance
  std::string rows;   // the body of POST /results, as JSON; "": no row
  std::size_t measured = 0, declared = 0, defaults = 0;  // of these rows
  std::map<std::string, std::string> files;              // path below the reader's folder -> bytes
  std::string device;                 // as the engine's file names have it; "": not said
  std::vector<std::string> versions;  // "torch 2.11.0": what the script said of itself
  tuners::AiterReport report;
};

struct EngineObserver {
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<bool()> stop = [] { return false; };
};

// `work`/NAME_STAMP, empty. Errors: file_unwritable.
core::Result<std::filesystem::path> FreshFolder(const std::filesystem::path& work,
                                                const std::string& name);

// Starts the command under the limits of `settings`. `line` gets what it prints. Errors:
// tuner_unstartable, file_unwritable.
core::Status RunEngine(const tuners::AiterCommand& command, const EngineSettings& settings,
                       const EngineObserver& observer,
                       const std::function<void(std::string_view)>& line,
                       tuners::AiterReport& report);

// What the run has become, by the number of shapes that have a row: Python ends with 1 also where
// nothing is there.
void SettleOutcome(tuners::AiterReport& report);

// "NVIDIA H200" -> "NVIDIA_H200"
std::string DeviceFileName(std::string_view name);

}  // namespace tunehub::agent::engines
