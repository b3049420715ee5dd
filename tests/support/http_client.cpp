#include "tests/support/http_client.h"

#include <stdexcept>
#include <system_error>

namespace tunehub::test {

RawAnswer HttpClient::Get(const std::string& target, const Headers& headers) const {
  return Must("GET", target, "", headers);
}

RawAnswer HttpClient::Head(const std::string& target, const Headers& headers) const {
  return Must("HEAD", target, "", headers);
}

RawAnswer HttpClient::Post(const std::string& target, const std::string& body,
                           const Headers& headers) const {
  return Must("POST", target, body, headers);
}

RawAnswer HttpClient::PostJson(const std::string& target, const nlohmann::json& body) const {
  return Post(target, body.dump(), {{"Content-Type", "application/json"}});
}

RawAnswer HttpClient::Must(const std::string& method, const std::string& target,
                           const std::string& body, const Headers& headers) const {
  auto answer = Try(method, target, body, headers);
  if (!answer) throw std::runtime_error("no answer to " + method + " " + target);
  return *std::move(answer);
}

std::optional<RawAnswer> HttpClient::Try(const std::string& method, const std::string& target,
                                         const std::string& body, const Headers& headers) const {
  try {
    RawHttp connection(port_, tls_.get());
    return connection.Exchange(Request(method, target, body, headers),
                               method == "HEAD" ? RawHttp::Body::kNone : RawHttp::Body::kExpected);
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

std::string HttpClient::Request(const std::string& method, const std::string& target,
                                const std::string& body, const Headers& headers) const {
  std::string text =
      method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  if (!key_.empty()) text += "Authorization: Bearer " + key_ + "\r\n";
  for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
  if (!body.empty() || method == "POST") {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n" + body;
}

nlohmann::json JsonOf(const RawAnswer& answer) {
  return nlohmann::json::parse(answer.body);
}

std::string Verdict(const RawAnswer& answer) {
  const std::string status = std::to_string(answer.status);
  if (answer.Header("content-type") != "application/problem+json") return status;
  return status + " " + JsonOf(answer).value("code", "without a code");
}

}  // namespace tunehub::test
