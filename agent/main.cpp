// tunehub-agent: one program for builds, GPU hosts and people who use the hub.
#include <csignal>
#include <exception>
#include <iostream>

#include "agent/base/command.h"
#include "agent/base/terminal.h"
#include "agent/capture/commands.h"
#include "agent/daemon/daemon.h"
#include "agent/device/worker.h"
#include "agent/install/commands.h"
#include "agent/tables/commands.h"
#include "agent/transfer/commands.h"
#include "agent/tune/commands.h"

int main(int argc, char** argv) {
  using namespace tunehub::agent;  // NOLINT(google-build-using-namespace)
  constexpr Command kCommands[] = {
      {"merge", "merge tuned tables as AITER does, listing every duplicate", RunMerge},
      {"check", "find the faults in tuned tables at which AITER would fail", RunCheck},
      {"family", "draft a family file for a table that no family describes", RunFamily},
      {"capture", "find in a log the shapes without a tuned row", RunCapture},
      {"explain", "explain a log's misses, and name the next commands", RunExplain},
      {"shapes", "list the shapes that serving a model needs", RunShapes},
      {"lookup", "show which row AITER would find for a shape, and why", RunLookup},
      {"coverage", "count a model's tuned shapes", RunCoverage},
      {"heuristic", "score or learn a heuristic that chooses kernels for untuned shapes",
       RunHeuristic},
      {"triton", "merge AITER's Triton configs by their measurements", RunTriton},
      {"push", "send tuned tables to the hub, through the spool", RunPush},
      {"spool", "list the batches in the spool, or drop some", RunSpool},
      {"import", "send an AITER configs folder to the hub", RunImport},
      {"pull", "fetch one merged table, pinned by a lock file", RunPull},
      {"accept", "serve a run's unconfirmed rows, as an admin", RunAccept},
      {"channel", "move a signed name for a revision, such as stable", RunChannel},
      {"install", "put the hub's tables where AITER reads them", RunInstall},
      {"contribute", "write measured rows to the files of a pull request", RunContribute},
      {"manifest", "list the kernels that an AITER tree can run", RunManifest},
      {"discover", "show what this host can tune on, and with which kernels", RunDiscover},
      {"tune", "find the fastest candidate of each shape", RunTune},
      {"bench", "measure the default or the tuned candidates", RunBench},
      {"compare", "compare two tables by shape: speed-ups, regressions", RunCompare},
      {"pretune", "tune all shapes of an AITER tree, or of a hub", RunPretune},
      {"selftest", "check that this device's kernels compute correctly", RunSelftest},
      {"run", "the agent's daemon: claim jobs, tune, push", RunDaemon},
      {"status", "show the state of the daemons", RunStatus},
      {kWorkerCommand, kHidden, RunWorker},
  };
  // If a program such as head closes our output early, an install or a push must still continue to
  // its end.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  PlainStream out(std::cout), err(std::cerr);
  err << std::unitbuf;
  Console console{out, err};
  try {
    return Dispatch(kCommands, argc, argv, console);
  } catch (const std::exception& error) {
    err << "tunehub-agent: " << error.what() << '\n';
    return kFailed;
  }
}
