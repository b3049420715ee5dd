// tunehub-agent-worker FAMILIES [gpu INDEX]: on the CPU, or on that GPU; one line of JSON in, one
// line of JSON out, until its input ends.
#include <filesystem>
#include <iostream>
#include <string>

#include "agent/worker/cpu_runner.h"
#include "agent/worker/gpu_runner.h"
#include "agent/worker/worker.h"
#include "core/family/families.h"
#include "core/row/cell.h"

int main(int argc, char** argv) {
  const auto index =
      argc == 4 && std::string(argv[2]) == "gpu" ? tunehub::core::ParseInt(argv[3]) : std::nullopt;
  if (argc != 2 && !index) {
    std::cerr << "usage: tunehub-agent-worker FAMILIES_FOLDER [gpu INDEX]; tunehub-agent tune "
                 "starts it\n";
    return 2;
  }
  const auto families = tunehub::core::Families::Load(argv[1]);
  if (!families.ok()) {
    std::cerr << "tunehub-agent-worker: " << families.error().detail << '\n';
    return 2;
  }
  tunehub::agent::worker::CpuRunner cpu;
  tunehub::agent::worker::GpuRunner gpu(index.value_or(0));
  tunehub::agent::worker::Runner* runner = &cpu;
  if (index) runner = &gpu;
  tunehub::agent::worker::Worker(*families, *runner).Serve(std::cin, std::cout);
  return 0;
}
