#include "agent/worker/command_worker.h"

#include <iostream>
#include <string_view>

#include "agent/base/command_line.h"
#include "agent/base/configuration.h"
#include "agent/worker/cpu_runner.h"
#include "agent/worker/gpu_runner.h"
#include "agent/worker/worker.h"
#include "core/row/cell.h"

namespace tunehub::agent::worker {
namespace {

constexpr std::string_view kGpu = "gpu";

}  // namespace

int Serve(const std::string& configs, Runner& runner, Console& console) {
  const auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, kWorkerCommand, configuration.error());
  Worker(configuration->families, runner).Serve(std::cin, console.out);
  return kGood;
}

int RunWorker(int argc, char** argv, Console& console) {
  const auto index =
      argc == 4 && std::string_view(argv[2]) == kGpu ? core::ParseInt(argv[3]) : std::nullopt;
  if (argc != 2 && !index) {
    return Fail(console, kWorkerCommand,
                {"bad_arguments", "it wants CONFIGS [gpu INDEX]; tunehub-agent tune starts it"});
  }
  if (!index) {
    CpuRunner cpu;
    return Serve(argv[1], cpu, console);
  }
  GpuRunner gpu(*index);
  return Serve(argv[1], gpu, console);
}

}  // namespace tunehub::agent::worker
