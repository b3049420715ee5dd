// Asks the interface as a client would, in this process: what an export holds is what the server
// answers, byte for byte.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/result.h"
#include "server/api/app.h"

namespace tunehub::exports {

class HubReader {
 public:
  explicit HubReader(const api::App& app) : app_(app) {}  // must outlive it

  // The answer to GET, 200. Errors: the code and detail of the problem, whatever it is.
  core::Result<http::Response> Get(const std::string& path, const http::Fields& query = {}) const;
  // The same where JSON comes.
  core::Result<nlohmann::ordered_json> GetJson(const std::string& path,
                                               const http::Fields& query = {}) const;

 private:
  const api::App& app_;
};

// "/speedups?family=a8w8&gfx=gfx942": the names in order, so that one question has one address.
std::string AddressOf(const std::string& path, http::Fields query);

}  // namespace tunehub::exports
