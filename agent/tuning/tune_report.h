// What became of a list of shapes, for people and for programs.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "agent/base/command.h"
#include "agent/hub/outbox.h"
#include "agent/tuning/session.h"

namespace tunehub::agent::tuning {

// {"shape":{...},"candidate":{...},"us":...,"speedup":...}, or the reason why not.
nlohmann::ordered_json ToJson(const DoneShape& done);

struct TuneReport {
  const Summary& summary;
  const core::Target& target;
  const Outbox& outbox;
  std::size_t waiting = 0;  // batches in the spool
  bool has_hub = false;
  bool has_file = false;  // the rows are also in a file, by -o
  bool bench = false;     // nothing was searched: what was measured is not tuned by it

  // The command's exit code.
  int Print(bool json, Console& console) const;

 private:
  void PrintWaiting(std::ostream& err) const;
};

}  // namespace tunehub::agent::tuning
