// Who is there to do work. Every call may throw Unavailable.
#pragma once

#include <cstddef>
#include <vector>

#include "server/service/queue/records.h"
#include "server/store/store.h"

namespace tunehub::service {

class Agents {
 public:
  explicit Agents(store::Store& store) : store_(store) {}

  // An agent says that it is there, and what it is doing.
  AgentRecord Touch(const AgentContent& agent) { return store_.queue().TouchAgent(agent); }

  std::vector<AgentRecord> List(const AgentPage& after, std::size_t limit) const {
    return store_.queue().ListAgents(after, limit);
  }

 private:
  store::Store& store_;
};

}  // namespace tunehub::service
