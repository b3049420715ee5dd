// Beast's parser, which writes directly into our Request. Only listener.cpp includes Beast and this
// file, because Beast takes 13 s to compile.
#pragma once

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>  // Boost 1.74 uses std::exchange without it

#include "server/http/answer_budget.h"
#include "server/http/listener.h"
#include "server/http/message.h"
#include "server/http/refusals.h"

namespace tunehub::http {

namespace beast = boost::beast;

class RequestParser final : public beast::http::basic_parser<true> {
 public:
  using ErrorCode = beast::error_code;

  RequestParser(Request& request, ShareCharge& charge, const Limits& limits)
      : request_(request), charge_(charge), limits_(limits) {
    header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    body_limit(limits.body_bytes);
  }

  const std::string& target() const { return target_; }
  bool http10() const { return version_ == 10; }
  bool expects_continue() const { return expectation_ == Expectation::kContinue; }
  bool over_budget() const { return over_budget_; }
  // Checks bytes of the head that put() consumed for a folded line. Beast joins such a line to the
  // line before, but a proxy may read it differently.
  void NoteFolds(std::string_view head) {
    folded_ = folded_ || head.find("\r\n ") != head.npos || head.find("\r\n\t") != head.npos;
  }

  // Refuses a complete header that Beast accepts but HTTP forbids.
  std::optional<Response> Objection() const {
    if (foreign_encoding_) return TransferEncodingNotSupported();
    if (chunked() && http10()) {
      return BadRequest("bad_framing", "HTTP/1.0 does not allow Transfer-Encoding.");
    }
    if (folded_) {
      return BadRequest("folded_header", "Each header must be one line (RFC 9112 5.2).");
    }
    if (authorizations_ > 1) {
      return BadRequest("bad_authorization",
                        "A request must have at most one Authorization header.");
    }
    if (hosts_ > 1 || (hosts_ == 0 && !http10())) {
      return BadRequest("bad_host", "A request must have exactly one Host header.");
    }
    if (request_.method == "TRACE" || request_.method == "CONNECT") {
      return MethodNotSupported(request_.method);
    }
    if (expectation_ == Expectation::kUnknown && !http10()) {
      return Problem(417, "unsupported_expectation", "The Expect header must be '100-continue'.");
    }
    return std::nullopt;
  }

  // Returns the answer to bytes that put() refused. `unparsed`: these bytes and all later ones.
  Response Refusal(const ErrorCode& code, std::string_view unparsed) const {
    using beast::http::error;
    if (over_budget_) return Busy("Too many uploads at once");
    if (code == error::header_limit) return HeaderTooLarge(limits_);
    if (code == error::body_limit) return BodyTooLarge(limits_);
    if (code == error::bad_version && NamesVersion(unparsed)) {
      return Problem(505, "unsupported_version", "Send HTTP/1.1 or HTTP/1.0.");
    }
    if (foreign_encoding_) return TransferEncodingNotSupported();
    return BadRequest("bad_request", "Malformed HTTP: " + code.message() + ".");
  }

 private:
  enum class Expectation { kNone, kContinue, kUnknown };
  using View = beast::string_view;

  // True if a request line ends with a version such as "HTTP/2.0" instead of garbage.
  static bool NamesVersion(std::string_view line) {
    constexpr std::string_view kForm = " HTTP/x.y";
    const std::size_t end = line.find("\r\n");
    return end != line.npos && end >= kForm.size() &&
           line.substr(end - kForm.size(), 6) == kForm.substr(0, 6);
  }

  static std::string_view Std(View text) { return {text.data(), text.size()}; }

  void on_request_impl(beast::http::verb, View method, View target, int version,
                       ErrorCode&) override {
    request_.method = Std(method);
    target_ = Std(target);
    version_ = version;
  }

  void on_field_impl(beast::http::field field, View name, View value, ErrorCode&) override {
    if (is_header_done()) return;  // a trailer: it must not change the head
    if (field == beast::http::field::host) ++hosts_;
    if (field == beast::http::field::authorization) ++authorizations_;
    if (field == beast::http::field::transfer_encoding && !beast::iequals(value, "chunked")) {
      foreign_encoding_ = true;
    }
    if (field == beast::http::field::expect) {
      expectation_ =
          beast::iequals(value, "100-continue") ? Expectation::kContinue : Expectation::kUnknown;
    }
    std::string lower(Std(name));
    for (char& c : lower) c = beast::detail::ascii_tolower(c);
    request_.headers.emplace_back(std::move(lower), Std(value));
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, ErrorCode&) override {
    // reserve() takes only address space. The system adds pages of memory as bytes arrive.
    if (length) request_.body.reserve(static_cast<std::size_t>(*length));
  }

  std::size_t on_body_impl(View body, ErrorCode& error) override { return Append(body, error); }

  std::size_t on_chunk_body_impl(std::uint64_t, View body, ErrorCode& error) override {
    return Append(body, error);
  }

  std::size_t Append(View body, ErrorCode& error) {
    over_budget_ = !charge_.Add(body.size());
    if (over_budget_) {
      error = beast::http::error::body_limit;
      return 0;
    }
    request_.body.append(body.data(), body.size());
    return body.size();
  }

  void on_response_impl(int, View, int, ErrorCode&) override {}
  void on_header_impl(ErrorCode&) override {}
  void on_chunk_header_impl(std::uint64_t, View, ErrorCode&) override {}
  void on_finish_impl(ErrorCode&) override {}

  Request& request_;
  ShareCharge& charge_;
  const Limits& limits_;
  std::string target_;
  int version_ = 11;
  int hosts_ = 0, authorizations_ = 0;
  bool folded_ = false;
  bool foreign_encoding_ = false;
  bool over_budget_ = false;
  Expectation expectation_ = Expectation::kNone;
};

}  // namespace tunehub::http
