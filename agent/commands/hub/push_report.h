// What `push` says about each batch, and its exit code.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "agent/base/command.h"
#include "agent/hub/batch_sender.h"

namespace tunehub::agent {

class PushReport {
 public:
  PushReport(bool json, std::size_t most_rows) : json_(json), most_(most_rows) {}

  void Add(const Batch& batch, const SendOutcome& outcome, Console& console);
  // `still_waiting` batches are in the spool.
  int Finish(std::size_t still_waiting, Console& console);

  // A batch that could not even be tried.
  void AddFailure(const core::Error& error, Console& console);

 private:
  bool json_;
  std::size_t most_;
  int code_ = kGood;
  nlohmann::ordered_json batches_ = nlohmann::ordered_json::array();
};

}  // namespace tunehub::agent
