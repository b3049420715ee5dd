#include "server/descriptors.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>

namespace tunehub::server {
namespace {

constexpr std::size_t kKeptFiles =
    700;  // 512 tables in memory, connections without a place, others
constexpr std::size_t kFewestConnections = 16;

}  // namespace

std::size_t RaiseDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return limit.rlim_cur;
}

std::size_t FitConnections(std::size_t wanted, std::size_t descriptors) {
  const std::size_t free =
      descriptors > 2 * kKeptFiles ? descriptors - kKeptFiles : descriptors / 2;
  const std::size_t fitted = std::max(std::min(wanted, free), kFewestConnections);
  if (fitted >= wanted) {
    spdlog::info("up to {} connections (limit of open files: {})", fitted, descriptors);
  } else {
    spdlog::warn("up to {} connections, and not {}: the limit of open files is {} (LimitNOFILE)",
                 fitted, wanted, descriptors);
  }
  return fitted;
}

}  // namespace tunehub::server
