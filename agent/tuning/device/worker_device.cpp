#include "agent/tuning/device/worker_device.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace tunehub::agent::tuning {
namespace {

core::Error Refusal(const nlohmann::json& answer) {
  const auto text = [&](const char* member) {
    const auto found = answer.find(member);
    return found != answer.end() && found->is_string() ? found->get<std::string>() : "";
  };
  return {text("failed"), text("detail")};
}

bool EndsWorker(const core::Result<nlohmann::json>& answer) {
  return answer.ok() && answer->contains("failed") && answer->value("ends", false);
}

}  // namespace

void WorkerDevice::Interrupt() {
  // Counted before and after: whichever process the kill meets, its Ask sees another count.
  ++interrupts_;
  worker_.Kill();
  ++interrupts_;
}

core::Result<nlohmann::json> WorkerDevice::PrepareWorker() {
  if (const unsigned interrupts = interrupts_; interrupts != seen_interrupts_) {
    worker_.Stop();  // it is dead or about to be
    seen_interrupts_ = interrupts;
  }
  const nlohmann::json request = {
      {"do", "prepare"}, {"family", family_}, {"shape", shape_}, {"seed", options_.seed}};
  auto answer = worker_.Ask(request, options_.prepare);
  if (EndsWorker(answer)) {
    worker_.Stop();  // the device was lost to this process, and may be there for another one
    answer = worker_.Ask(request, options_.prepare);
  }
  if (EndsWorker(answer)) {
    worker_.Stop();
    return core::Error{kNoDevice, Refusal(*answer).detail};
  }
  if (answer.ok() && answer->contains("failed")) return Refusal(*answer);
  if (!answer.ok() && interrupts_ != seen_interrupts_)
    return core::Error{kInterrupted, "while preparing"};
  prepared_ = answer.ok();
  return answer;
}

core::Result<std::vector<std::string>> WorkerDevice::Kernels(const std::string& family) {
  const auto answer = worker_.Ask({{"do", "kernels"}, {"family", family}}, options_.prepare);
  if (!answer.ok()) return core::Error{kNoDevice, answer.error().detail};
  if (answer->contains("failed")) return core::Error{kNoDevice, Refusal(*answer).detail};
  try {
    return answer->at("kernels").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    return core::Error{kNoDevice, fmt::format("the worker's kernels: {}", error.what())};
  }
}

core::Result<Offer> WorkerDevice::Prepare(const std::string& family, const Columns& shape) {
  family_ = family;
  shape_ = shape;
  prepared_ = false;
  const auto answer = PrepareWorker();
  if (!answer.ok()) {
    if (answer.error().code == "worker_unstartable") {
      return core::Error{kNoDevice, answer.error().detail};
    }
    if (!answer.error().code.starts_with("worker_")) return answer.error();
    return core::Error{kUnsupported, "preparing it: " + answer.error().detail};
  }
  try {
    Offer offer{answer->at("candidates").get<std::vector<Columns>>(),
                answer->at("fallback").get<std::size_t>(), answer->value("caches", false)};
    if (offer.fallback < offer.candidates.size()) return offer;
    return core::Error{kUnsupported, "no kernel runs this shape here"};
  } catch (const nlohmann::json::exception& error) {
    return core::Error{kUnsupported, fmt::format("the worker's offer: {}", error.what())};
  }
}

core::Result<nlohmann::json> WorkerDevice::Ask(const nlohmann::json& request) {
  if (!prepared_ || !worker_.Runs() || interrupts_ != seen_interrupts_) {
    if (const auto again = PrepareWorker(); !again.ok()) {
      if (again.error().code == kInterrupted) return again.error();
      return core::Error{kNoDevice, "the worker does not start again: " + again.error().detail};
    }
  }
  auto answer = worker_.Ask(request, options_.candidate);
  if (!answer.ok()) {
    if (interrupts_ != seen_interrupts_) return core::Error{kInterrupted, "while measuring"};
    return core::Error{kCandidateFailed, answer.error().code + ": " + answer.error().detail};
  }
  if (answer->contains("failed")) {
    // What ran on the device is lost with this candidate: the next one gets a new process.
    if (EndsWorker(answer)) worker_.Stop();
    return core::Error{kCandidateFailed, Refusal(*answer).detail};
  }
  return answer;
}

core::Error WorkerDevice::Garbage(const std::string& what) {
  worker_.Stop();
  return {kCandidateFailed, "worker_garbage: " + what};
}

core::Result<Verdict> WorkerDevice::Verify(std::size_t candidate) {
  const auto answer = Ask({{"do", "verify"}, {"candidate", candidate}});
  if (!answer.ok()) return answer.error();
  const auto error = answer->find("error");
  if (error == answer->end() || !error->is_number()) return Garbage("a verdict without an error");
  const auto wrong = answer->find("wrong");
  const bool text = wrong != answer->end() && wrong->is_string();
  return Verdict{error->get<double>(), text ? wrong->get<std::string>() : ""};
}

core::Result<double> WorkerDevice::Microseconds(const nlohmann::json& request) {
  const auto answer = Ask(request);
  if (!answer.ok()) return answer.error();
  const auto us = answer->find("us");
  if (us == answer->end() || !us->is_number() || !(us->get<double>() > 0)) {
    return Garbage("a sample without a time");
  }
  return us->get<double>();
}

core::Result<double> WorkerDevice::Sample(std::size_t candidate, int calls, Cache cache) {
  nlohmann::json request = {{"do", "sample"}, {"candidate", candidate}, {"calls", calls}};
  if (cache != Cache::kRotating) request["cache"] = NameOf(cache);
  return Microseconds(request);
}

// What ran before, so a worker that cannot even do this is no device.
core::Result<double> WorkerDevice::Pulse() {
  auto us = Microseconds({{"do", "pulse"}});
  if (us.ok() || us.error().code != kCandidateFailed) return us;
  return core::Error{kNoDevice, us.error().detail};
}

}  // namespace tunehub::agent::tuning
