// tunehub-agent: one program for builds, GPU hosts and people who use the hub.
#include <unistd.h>

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
      {"", "tables on disk", nullptr},
      {"merge", "merge tuned tables as AITER does, listing every duplicate", RunMerge},
      {"check", "find the faults in tuned tables at which AITER would fail", RunCheck},
      {"compare", "compare two tables by shape: speed-ups, regressions", RunCompare},
      {"lookup", "show which row AITER would find for a shape, and why", RunLookup},
      {"triton", "merge AITER's Triton configs by their measurements", RunTriton},
      {"family", "draft a family file for a table that no family describes", RunFamily},
      {"heuristic", "score or learn a heuristic that chooses kernels for untuned shapes",
       RunHeuristic},
      {"manifest", "list the kernels that an AITER tree can run", RunManifest},
      {"", "missing shapes", nullptr},
      {"explain", "explain a log's misses, and name the next commands", RunExplain},
      {"capture", "find in a log the shapes without a tuned row", RunCapture},
      {"shapes", "list the shapes that serving a model needs", RunShapes},
      {"coverage", "count a model's tuned shapes", RunCoverage},
      {"", "tables from a hub and to a hub", nullptr},
      {"pull", "fetch one merged table, pinned by a lock file", RunPull},
      {"install", "put the hub's tables where AITER reads them", RunInstall},
      {"push", "send tuned tables to the hub, through the spool", RunPush},
      {"spool", "list the batches in the spool, or drop some", RunSpool},
      {"import", "send an AITER configs folder to the hub", RunImport},
      {"contribute", "write measured rows to the files of a pull request", RunContribute},
      {"", "a hub's runs and jobs", nullptr},
      {"runs", "list the hub's runs, or show one", RunRuns},
      {"revert", "withdraw a run; the earlier winners return", RunRevert},
      {"accept", "serve a run's unconfirmed rows, as an admin", RunAccept},
      {"channel", "move a signed name for a revision, such as stable", RunChannel},
      {"demand", "list the shapes that lookups missed, the most missed first", RunDemand},
      {"jobs", "list the hub's jobs, show one, or queue a parked one again", RunJobs},
      {"", "tuning on this host", nullptr},
      {"discover", "show what this host can tune on, and with which kernels", RunDiscover},
      {"selftest", "check that this device's kernels compute correctly", RunSelftest},
      {"fieldtest", "try everything on this device, and pack the results to send", RunFieldtest},
      {"tune", "find the fastest candidate of each shape", RunTune},
      {"bench", "measure the default or the tuned candidates", RunBench},
      {"pretune", "tune all shapes of an AITER tree, or of a hub", RunPretune},
      {"run", "the agent's daemon: claim jobs, tune, push", RunDaemon},
      {"status", "show the state of the daemons", RunStatus},
      {"", "this program", nullptr},
      {"help", "list the commands, or the options of one", RunHelp},
      {"man", "print a man page", RunManual},
      {"completion", "print the script that completes command lines in bash", RunManual},
      {kWorkerCommand, kHidden, RunWorker},
  };
  // If a program such as head closes our output early, an install or a push must still continue to
  // its end.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  PlainStream out(std::cout, ShowsColour(STDOUT_FILENO)),
      err(std::cerr, ShowsColour(STDERR_FILENO));
  err << std::unitbuf;
  Console console{out, err};
  try {
    return Dispatch(kCommands, argc, argv, console);
  } catch (const std::exception& error) {
    err << BeginError << "tunehub-agent: " << error.what() << '\n' << EndError;
    return tunehub::kFailed;
  }
}
