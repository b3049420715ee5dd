// tunehub-agent-online: the commands of tunehub-agent that talk to a hub or run kernels
// (agent/commands/online.h).
#include <csignal>
#include <exception>
#include <iostream>

#include "agent/base/command.h"
#include "agent/commands/builds/command_install.h"
#include "agent/commands/builds/command_manifest.h"
#include "agent/commands/capture/command_capture.h"
#include "agent/commands/daemon/command_run.h"
#include "agent/commands/explain/command_explain.h"
#include "agent/commands/hub/command_import.h"
#include "agent/commands/hub/command_pull.h"
#include "agent/commands/hub/command_push.h"
#include "agent/commands/tuning/command_compare.h"
#include "agent/commands/tuning/command_selftest.h"
#include "agent/commands/tuning/command_tune.h"

int main(int argc, char** argv) {
  using tunehub::agent::Command;
  constexpr Command kCommands[] = {
      {"capture", "find the shapes in a log that AITER had no tuned row for",
       tunehub::agent::RunCaptureOnline},
      {"explain", "what a log's misses are, and what to do next", tunehub::agent::RunExplainOnline},
      {"push", "send tuned tables to the hub, through the spool", tunehub::agent::RunPush},
      {"import", "send an AITER configs folder to the hub", tunehub::agent::RunImport},
      {"pull", "fetch one merged table, pinned by a lock file", tunehub::agent::RunPull},
      {"install", "put the hub's tables where AITER looks", tunehub::agent::RunInstall},
      {"manifest", "list the kernels that an AITER tree can run", tunehub::agent::RunManifest},
      {"discover", "the device that this host tunes on", tunehub::agent::tuning::RunDiscover},
      {"tune", "find the fastest candidate of each shape", tunehub::agent::tuning::RunTune},
      {"bench", "measure the default or the tuned candidates", tunehub::agent::tuning::RunBench},
      {"compare", "two tables by shape: speed-ups, regressions",
       tunehub::agent::tuning::RunCompare},
      {"pretune", "tune an AITER tree's modules, or what others tuned",
       tunehub::agent::tuning::RunPretune},
      {"selftest", "whether this device's kernels compute what they should",
       tunehub::agent::tuning::RunSelftest},
      {"run", "the daemon: claim jobs, tune, push", tunehub::agent::daemon::RunDaemon},
      {"status", "what the daemon is doing", tunehub::agent::daemon::RunStatus},
  };
  std::signal(SIGPIPE, SIG_IGN);  // a hub that closes early is an error of that request
  tunehub::agent::Console console{std::cout, std::cerr};
  try {
    return tunehub::agent::Dispatch(kCommands, argc, argv, console);
  } catch (const std::exception& error) {
    std::cerr << "tunehub-agent: " << error.what() << '\n';
    return tunehub::agent::kFailed;
  }
}
