// What the transport may be out of. Each is a limit, whose refusals, all 503, are counted by name.
#pragma once

#include <array>
#include <cstddef>

#include "server/http/pool.h"

namespace tunehub::http {

enum class Room : std::size_t {
  kConnections,
  kBodies,   // bytes of uploads on their way
  kAnswers,  // bytes of answers on their way
  kWaiting,  // places in the queue of the first pool; those of the others follow
};
inline constexpr std::size_t kRooms = static_cast<std::size_t>(Room::kWaiting) + kPools;
// Settings, where one sets the limit.
inline constexpr std::array<const char*, kRooms> kRoomNames = {
    "connections",   "bodies_mib",          "answers_mib",   "waiting_reads",
    "waiting_queue", "waiting_heavy_reads", "waiting_writes"};

constexpr Room RoomToWait(Pool pool) {
  return static_cast<Room>(static_cast<std::size_t>(Room::kWaiting) +
                           static_cast<std::size_t>(pool));
}

}  // namespace tunehub::http
