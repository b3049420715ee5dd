// tunehub-agent worker CONFIGS [gpu INDEX]: on the CPU, or on that GPU; one line of JSON in, one
// line of JSON out, until its input ends. CONFIGS is a folder, or "" for the configuration that the
// program carries. `tunehub-agent tune` starts it, no person does.
#pragma once

#include <string>

#include "agent/base/command.h"
#include "agent/worker/runner.h"

namespace tunehub::agent::worker {

inline constexpr char kWorkerCommand[] = "worker";

// Answers std::cin on `console`. Returns the exit code.
int Serve(const std::string& configs, Runner& runner, Console& console);

int RunWorker(int argc, char** argv, Console& console);

}  // namespace tunehub::agent::worker
