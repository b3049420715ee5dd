// An answer during sending: the head as bytes, the body as shared bytes, and the number of sent
// bytes.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/message.h"

namespace tunehub::http {

// Properties of a request that shape its answer.
struct AnswerForm {
  std::string request_id = {};
  // the request's traceparent, which the answer repeats; "": none
  std::string traceparent = {};
  std::optional<std::chrono::seconds> hsts = {};  // over TLS
  // for HEAD: send the body's length without the body
  bool head_only = false;
  bool keep_alive = false;
  bool http10 = false;  // for HTTP/1.0: the answer must name keep-alive
};

class Outgoing {
 public:
  // Writes the status line and the headers, including the security headers. Only this function sets
  // Content-Length, Date, X-Request-Id and Connection, so it drops these headers from `response`.
  // It also drops line breaks in values, so that no handler can split an answer.
  void Assign(Response response, const AnswerForm& form);

  // Returns the next bytes to write, at most `limit` in total. Valid until the next call of a
  // member function.
  std::array<std::string_view, 2> Next(std::size_t limit) const;
  void Advance(std::size_t bytes) { sent_ += bytes; }
  std::size_t sent() const { return sent_; }
  std::size_t body_sent() const { return sent_ - std::min(sent_, head_.size()); }
  // Returns null if the answer has no body to send.
  const std::shared_ptr<const std::string>& shared_body() const { return body_; }
  bool done() const { return sent_ == head_.size() + body().size(); }

  // Frees the body early: an idle connection must not keep an old table in memory.
  void Release() {
    body_.reset();
    head_.clear();
    sent_ = 0;
  }

 private:
  std::string_view body() const { return body_ ? std::string_view(*body_) : std::string_view(); }

  std::string head_;  // later answers reuse the string's memory
  std::shared_ptr<const std::string> body_;
  std::size_t sent_ = 0;
};

}  // namespace tunehub::http
