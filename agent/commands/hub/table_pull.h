// Fetches one served table, conditionally, and puts it in its file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/commands/hub/command_pull.h"

namespace tunehub::agent {

struct Table {
  std::string bytes;
  std::string sha256;
  std::string etag;
  std::optional<std::uint64_t> revision;
  bool unchanged = false;  // bytes is what the file holds
};

class TablePull {
 public:
  // All must outlive it. `absent`: what the tree that the table is for has nothing of.
  TablePull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
            const std::vector<AbsentModule>& absent)
      : options_(options), hub_(hub), pauses_(pauses), console_(console), absent_(absent) {}

  // What the hub answers to GET `target`; from the file where the hub says that it has not changed.
  // Errors: those of the hub, bad_answer, file_unreadable.
  core::Result<Table> Get(const std::string& target);

  // Into the file, with its ETag beside it. Errors: file_unwritable.
  core::Status Write(const std::string& target, const Table& table);

 private:
  void Warn(const Answer& answer);

  const PullOptions& options_;
  HubClient& hub_;
  const Pauses& pauses_;
  Console& console_;
  const std::vector<AbsentModule>& absent_;
};

}  // namespace tunehub::agent
