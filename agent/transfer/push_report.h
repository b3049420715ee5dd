// What `push` says about each batch, and its exit code.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/hub/outbox.h"
#include "agent/hub/spool.h"

namespace tunehub::agent {

// kFinding where the hub would refuse a file, or not serve a row.
int DryRun(const Configuration& configuration, const std::vector<FamilyFiles>& files, bool all,
           bool json, Console& console);

class PushReport {
 public:
  PushReport(bool json, std::size_t most_rows) : json_(json), most_(most_rows) {}

  void Add(const Batch& batch, const SendOutcome& outcome, Console& console);
  // What still waits in the spool, for this hub and for others.
  int Finish(const Spool& spool, Console& console);

  // A batch that could not even be tried.
  void AddFailure(const core::Error& error, Console& console);

 private:
  bool json_;
  std::size_t most_;
  int code_ = kGood;
  nlohmann::ordered_json batches_ = nlohmann::ordered_json::array();
};

}  // namespace tunehub::agent
