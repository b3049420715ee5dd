// Headers and JSON members that answers of several subjects share.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/pin.h"
#include "server/answers/route.h"
#include "server/http/message.h"

namespace tunehub::server {

// Adds the headers with the answer's revision.
inline void AddRevision(http::Response& response, const core::Pin& revision) {
  response.headers.emplace_back("Tunehub-Revision", std::to_string(revision.number));
  response.headers.emplace_back("Tunehub-Pin", revision.Text());
}
inline http::Response OfRevision(const core::Pin& revision, http::Response response) {
  AddRevision(response, revision);
  return response;
}

// Adds the members "revision" and "pin".
inline void AddRevision(nlohmann::ordered_json& json, const core::Pin& revision) {
  json["revision"] = revision.number;
  json["pin"] = revision.Text();
}
inline nlohmann::ordered_json RevisionJson(const core::Pin& revision) {
  nlohmann::ordered_json json;
  AddRevision(json, revision);
  return json;
}

// The constants below are values of Cache-Control. If reads need an API key, app.cpp adds
// "private". This value is for content that never changes under its URL.
inline constexpr const char* kImmutable = "public, max-age=31536000, immutable";
// For content that a cache must revalidate each time.
inline constexpr const char* kAskAgain = "no-cache";
// For answers about API keys: no cache and no browser keeps them.
inline constexpr const char* kNoStore = "no-store";

inline constexpr const char* kStaleWarning = "110 - \"Response is Stale\"";
// Marks an answer that may lack the latest changes, such as an answer without the database.
inline http::Response WarnedIfStale(const Services& services, http::Response response) {
  if (services.snapshots.MayLack()) response.headers.emplace_back("Warning", kStaleWarning);
  return response;
}

// Returns null for NaN and infinity.
inline nlohmann::ordered_json NumberOrNull(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

// Returns null for "".
inline nlohmann::ordered_json TextOrNull(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace tunehub::server
