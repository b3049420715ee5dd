// An HTTP client for tests, on raw sockets. Each request opens its own connection.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/raw_http.h"

namespace tunehub::test {

using Headers = std::vector<std::pair<std::string, std::string>>;

class HttpClient {
 public:
  // `key`: sent as Authorization: Bearer, unless empty. `tls`: a client's context; null: no TLS.
  explicit HttpClient(unsigned short port, std::string key = "",
                      std::shared_ptr<ssl_ctx_st> tls = nullptr)
      : port_(port), key_(std::move(key)), tls_(std::move(tls)) {}

  // Throw if the server sends no complete answer.
  RawAnswer Get(const std::string& target, const Headers& headers = {}) const;
  RawAnswer Head(const std::string& target, const Headers& headers = {}) const;
  RawAnswer Post(const std::string& target, const std::string& body,
                 const Headers& headers = {}) const;
  RawAnswer PostJson(const std::string& target, const nlohmann::json& body) const;
  // Nothing if no complete answer comes, or if nobody listens.
  std::optional<RawAnswer> Try(const std::string& method, const std::string& target,
                               const std::string& body = "", const Headers& headers = {}) const;

  // The bytes of a request.
  std::string Request(const std::string& method, const std::string& target, const std::string& body,
                      const Headers& headers) const;

 private:
  RawAnswer Must(const std::string& method, const std::string& target, const std::string& body,
                 const Headers& headers) const;

  unsigned short port_;
  std::string key_;
  std::shared_ptr<ssl_ctx_st> tls_;
};

// Throws if the body is not JSON.
nlohmann::json JsonOf(const RawAnswer& answer);
// "422 unknown_column", or "200" if the answer is not a problem document.
std::string Verdict(const RawAnswer& answer);

}  // namespace tunehub::test
