// What the machine gives the server, against what its settings allow it to take.
#include <fmt/core.h>

#include "server/doctor/checks.h"
#include "server/doctor/process.h"

namespace tunehub::doctor {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;
// Of a server beside its budgets (tuned rows, threads) and of a PostgreSQL of its own.
constexpr std::size_t kServerBytes = 250 * kMegabyte;
constexpr std::size_t kPostgresBytes = 300 * kMegabyte;

pid_t PidOf(const Subject& subject) {
  return subject.running ? subject.running->pid : 0;
}

}  // namespace

void CheckMemory(Subject& subject, Report& report) {
  const auto memory = MemoryFor(PidOf(subject));
  if (!memory) return report.CouldNotLook("the system does not say how much memory there is");
  const std::size_t wanted =
      subject.budget_bytes + kServerBytes + (subject.is_embedded() ? kPostgresBytes : 0);
  if (wanted <= *memory) return;
  report.Wrong(fmt::format("the settings allow {} MB of memory, and there are {} MB",
                           wanted / kMegabyte, *memory / kMegabyte),
               "lower cache_mib, past_mib, bodies_mib or answers_mib, or give it more");
}

void CheckDescriptors(Subject& subject, Report& report) {
  const auto limit = DescriptorLimit(PidOf(subject));
  if (!limit || *limit >= subject.descriptors) return;
  report.Wrong(fmt::format("the limit of open files is {}, and {} connections take {}", *limit,
                           subject.connections, subject.descriptors),
               "raise it (LimitNOFILE of the service, ulimit -Hn), or lower `connections`");
}

}  // namespace tunehub::doctor
