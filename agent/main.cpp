// tunehub-agent: what a build and a person need of the registry.
#include <iostream>

#include "agent/base/command.h"
#include "agent/commands/capture/command_capture.h"
#include "agent/commands/explain/command_explain.h"
#include "agent/commands/online.h"
#include "agent/commands/tables/command_check.h"
#include "agent/commands/tables/command_coverage.h"
#include "agent/commands/tables/command_heuristic.h"
#include "agent/commands/tables/command_lookup.h"
#include "agent/commands/tables/command_merge.h"
#include "agent/commands/tables/command_shapes.h"

int main(int argc, char** argv) {
  using tunehub::agent::Command;
  constexpr Command kCommands[] = {
      {"merge", "merge tuned tables as AITER does, listing every duplicate",
       tunehub::agent::RunMerge},
      {"check", "what AITER would trip over in its tuned tables", tunehub::agent::RunCheck},
      {"capture", "find the shapes in a log that AITER had no tuned row for",
       tunehub::agent::RunCapture},
      {"explain", "what a log's misses are, and what to do next", tunehub::agent::RunExplain},
      {"shapes", "list the shapes that serving a model asks for", tunehub::agent::RunShapes},
      {"lookup", "which row AITER would find for a shape, and why", tunehub::agent::RunLookup},
      {"coverage", "how much of what a model asks for is tuned", tunehub::agent::RunCoverage},
      {"heuristic", "what to run where nothing is tuned: score or learn it",
       tunehub::agent::RunHeuristic},
      {"push", "send tuned tables to the hub, through the spool", tunehub::agent::RunOnline},
      {"import", "send an AITER configs folder to the hub", tunehub::agent::RunOnline},
      {"pull", "fetch one merged table, pinned by a lock file", tunehub::agent::RunOnline},
      {"install", "put the hub's tables where AITER looks", tunehub::agent::RunOnline},
      {"manifest", "list the kernels that an AITER tree can run", tunehub::agent::RunOnline},
      {"discover", "the device that this host tunes on", tunehub::agent::RunOnline},
      {"tune", "find the fastest candidate of each shape", tunehub::agent::RunOnline},
      {"bench", "measure the default or the tuned candidates", tunehub::agent::RunOnline},
      {"compare", "two tables by shape: speed-ups, regressions", tunehub::agent::RunOnline},
      {"pretune", "tune an AITER tree's modules, or what others tuned", tunehub::agent::RunOnline},
      {"selftest", "whether this device's kernels compute what they should",
       tunehub::agent::RunOnline},
      {"run", "the daemon: claim jobs, tune, push", tunehub::agent::RunOnline},
      {"status", "what the daemon is doing", tunehub::agent::RunOnline},
  };
  std::ios::sync_with_stdio(false);
  tunehub::agent::Console console{std::cout, std::cerr};
  return tunehub::agent::Dispatch(kCommands, argc, argv, console);
}
