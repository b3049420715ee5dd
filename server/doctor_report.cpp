#include "server/doctor_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace tunehub::server {

void Report::Wrong(std::string what, std::string advice) {
  found_.push_back({check_, std::move(what), std::move(advice)});
}

void Report::CouldNotLook(std::string why) {
  unseen_.push_back({check_, std::move(why), {}});
}

int Report::exit_status() const {
  constexpr int kNothing = 0, kSomething = 1, kNotSeen = 2;
  if (!found_.empty()) return kSomething;
  return unseen_.empty() ? kNothing : kNotSeen;
}

std::string Report::EndLine() const {
  const std::size_t found = found_.size();
  if (found == 0 && unseen_.empty()) return "nothing is wrong";
  if (found == 0) return "nothing that could be looked at is wrong";
  return found == 1 ? "1 thing is wrong" : fmt::format("{} things are wrong", found);
}

std::string Report::Text() const {
  std::string text;
  for (const Finding& it : found_)
    text += fmt::format("{}: {}: {}\n", it.check, it.what, it.advice);
  for (const Finding& it : unseen_)
    text += fmt::format("{}: not looked at: {}\n", it.check, it.what);
  return text + EndLine() +
         " (whether all that is stored holds together takes longer: tunehub-server verify)\n";
}

std::string Report::Json() const {
  auto found = nlohmann::ordered_json::array(), unseen = nlohmann::ordered_json::array();
  for (const Finding& it : found_)
    found.push_back({{"check", it.check}, {"what", it.what}, {"advice", it.advice}});
  for (const Finding& it : unseen_) unseen.push_back({{"check", it.check}, {"why", it.what}});
  const nlohmann::ordered_json all = {
      {"status", exit_status()}, {"found", std::move(found)}, {"unseen", std::move(unseen)}};
  // The system and a database may answer in any encoding.
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tunehub::server
