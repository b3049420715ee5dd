// The options that `tune`, `bench` and `pretune` share; as AITER's tuners name them, where those
// have them.
#pragma once

#include <string>

#include "agent/online_options.h"
#include "agent/tuning/search_options.h"

namespace tunehub::agent::tuning {

struct TuneOptions {
  std::string input, output, profile, family, libtype = "all", configs, spool, state, worker;
  bool all = false, json = false;
  int batch = 1, mp = 1;
  int timeout_s = 30;
  SearchOptions search;
  OnlineOptions online;
  std::string arguments;  // the command line, for the run's provenance
};

void AddTuneOptions(CLI::App& app, TuneOptions& options);

// The command line as the run tells it: without the API key.
std::string ArgumentsText(int argc, char** argv);

}  // namespace tunehub::agent::tuning
