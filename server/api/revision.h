// The revision that an answer is of, in its headers and in its JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "core/base/pin.h"
#include "server/http/response.h"

namespace tunehub::api {

inline void AddRevision(http::Response& response, const core::Pin& revision) {
  response.headers.emplace_back("Tunehub-Revision", std::to_string(revision.number));
  response.headers.emplace_back("Tunehub-Pin", revision.Text());
}

// Members "revision" and "pin".
inline void AddRevision(nlohmann::ordered_json& json, const core::Pin& revision) {
  json["revision"] = revision.number;
  json["pin"] = revision.Text();
}
inline nlohmann::ordered_json RevisionJson(const core::Pin& revision) {
  nlohmann::ordered_json json;
  AddRevision(json, revision);
  return json;
}

}  // namespace tunehub::api
