// The pools of threads that answer requests. Each kind of request has its own pool, so slow
// requests delay only their own kind.
#pragma once

#include <array>
#include <cstddef>

namespace tunehub::http {

enum class Pool {
  kQuick,  // reads that end quickly
  kQueue,  // requests of the job queue; a heartbeat must not wait behind a batch of rows
  kHeavy,  // reads that compute
  kWrite,
  kCostly,  // slow reads of kHeavy; a separate pool, so that they do not delay other reads
};
inline constexpr std::size_t kPools = 5;
// The number of pools with their own rate limit. Reads of kCostly count for the rate limit of
// kHeavy.
inline constexpr std::size_t kRatedPools = 4;
// Their names in metrics.
inline constexpr std::array<const char*, kPools> kPoolNames = {"reads", "queue", "heavy_reads",
                                                               "writes", "costly_reads"};

// The limited resources of the transport. If a resource is full, the answer is 503, and metrics
// count it by the resource's name.
enum class Room : std::size_t {
  kConnections,
  kBodies,   // bytes of uploads in flight
  kAnswers,  // bytes of answers in flight
  kWaiting,  // places in the queue of the first pool; the next values belong to the next pools
};
inline constexpr std::size_t kRooms = static_cast<std::size_t>(Room::kWaiting) + kPools;
// Names for metrics: the name of the setting with the limit, if there is one.
inline constexpr std::array<const char*, kRooms> kRoomNames = {
    "connections",   "bodies_mib",          "answers_mib",    "waiting_reads",
    "waiting_queue", "waiting_heavy_reads", "waiting_writes", "waiting_costly_reads"};

constexpr Room RoomToWait(Pool pool) {
  return static_cast<Room>(static_cast<std::size_t>(Room::kWaiting) +
                           static_cast<std::size_t>(pool));
}

}  // namespace tunehub::http
