// Only this file of the agent uses Beast.

#include "agent/hub/connection.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "core/base/text.h"

namespace tunehub::agent {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr int kBadRequest = 400;
// The timeout of an extra handshake, which only improves an error message.
constexpr std::chrono::seconds kTlsPatience{3};

// True if the bytes begin like a TLS record.
bool IsTlsRecord(std::string_view bytes) {
  // A handshake or an alert, and a major version of 3.
  return bytes.size() >= 2 && (bytes[0] == 0x15 || bytes[0] == 0x16) && bytes[1] == 0x03;
}

// True if an answer over plain HTTP says that the port expects TLS.
bool SaysItWantsTls(const Answer& answer) {
  constexpr std::string_view kWords[] = {
      "plain HTTP request was sent to HTTPS port",          // nginx
      "speaking plain HTTP to an SSL-enabled server port",  // Apache
      "sent an HTTP request to an HTTPS server",            // Go
  };
  if (answer.status != kBadRequest) return false;
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view words) {
    return answer.body.find(words) != std::string::npos;
  });
}

// True if a TLS handshake succeeds. Does not check the certificate. Ends before the deadline.
bool SpeaksTls(const Url& url, Clock::time_point deadline) {
  net::io_context context;
  net::ssl::context tls(net::ssl::context::tls_client);
  net::ssl::stream<tcp::socket> stream(context, tls);
  SSL_set_tlsext_host_name(stream.native_handle(), url.host.c_str());
  error_code error;
  const auto places = tcp::resolver(context).resolve(url.host, url.port, error);
  bool speaks = false;
  net::async_connect(stream.next_layer(), places, [&](error_code failure, const tcp::endpoint&) {
    if (failure) return;
    stream.async_handshake(net::ssl::stream_base::client,
                           [&](error_code broken) { speaks = !broken; });
  });
  context.run_until(std::min(deadline, Clock::now() + kTlsPatience));
  return speaks;
}

namespace beast = boost::beast;
namespace http = boost::beast::http;
using TlsStream = net::ssl::stream<beast::tcp_stream>;

constexpr unsigned kMaxHeadBytes = 64 * 1024;
// The limit of one part of an answer, such as the head of a chunk.
constexpr std::size_t kMaxBufferBytes = 4 * kMaxHeadBytes;
constexpr int kFirstFinalStatus = 200;  // lower statuses are interim answers

tcp::socket& SocketOf(beast::tcp_stream& stream) {
  return stream.socket();
}
tcp::socket& SocketOf(TlsStream& stream) {
  return stream.next_layer().socket();
}

Answer AnswerOf(http::response<http::string_body>&& response) {
  Answer answer;
  answer.status = static_cast<int>(response.result_int());
  for (const auto& field : response) {
    std::string& value = answer.headers[core::Lower(std::string(field.name_string()))];
    if (!value.empty()) value += ", ";
    value += core::PlainText({field.value().data(), field.value().size()});
  }
  answer.body = std::move(response.body());
  return answer;
}

// False if a text would split the request into several requests. (Beast does not check the texts.)
bool MaySend(const Request& request) {
  const bool blank = request.target.find(' ') != std::string::npos;
  return request.target.starts_with('/') && !blank && !core::HoldsControl(request.target) &&
         std::ranges::none_of(request.headers, [](const auto& header) {
           return core::HoldsControl(header.first) || core::HoldsControl(header.second);
         });
}

template <typename Stream>
class StreamConnection : public Connection {
 public:
  // `make(io_context)` makes the stream.
  template <typename Make>
  StreamConnection(const Url& url, const Trust& trust, Make make)
      : url_(url), trust_(trust), stream_(make(context_)) {}

  core::Result<Answer> Exchange(const Request& request, Clock::time_point deadline) override {
    heard_ = keeps_ = closed_ = false;
    if (!MaySend(request)) {
      return core::Error{
          kUnsendable,
          fmt::format("'{}': a request's target must begin with a slash and contain no blank. The "
                      "target and the headers must contain no control characters",
                      core::Excerpt(request.target))};
    }
    deadline_ = deadline;
    const bool first = !open_;
    if (first) {
      if (const auto opened = Open(); !opened.ok()) return opened.error();
      open_ = true;
    }
    // A server that refuses a large body may answer and close before it has read the whole body.
    const error_code unsent = Write(request);
    auto answer = Read(request);
    if (!url_.tls && answer.ok() && SaysItWantsTls(*answer)) return OtherScheme();
    // Other TLS servers close without an answer.
    if (!url_.tls && first && closed_ && !heard_ && SpeaksTls(url_, deadline)) return OtherScheme();
    if (!answer.ok() && unsent && !heard_) return Failed(unsent);
    return answer;
  }

  bool Heard() const override { return heard_; }

  bool Lives() override {
    char byte = 0;
    // If the socket is readable here, the server has closed the connection, or has sent bytes
    // without a request.
    return keeps_ &&
           ::recv(SocketOf(stream_).native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
  }

 private:
  // Starts an operation and runs until it ends.
  template <typename Begin>
  error_code Await(Begin begin) {
    error_code result;
    // Checks the deadline here, since an operation on buffered bytes never reaches the timer.
    if (Clock::now() >= deadline_) return beast::error::timeout;
    beast::get_lowest_layer(stream_).expires_at(deadline_);
    begin([&result](error_code error, const auto&...) { result = error; });
    context_.restart();
    context_.run();
    return result;
  }

  core::Error Failed(const error_code& error) const {
    if (error == beast::error::timeout) return {kNoAnswer, "no answer within the time allowed"};
    return {kNoAnswer, error.message()};
  }

  core::Error OtherScheme() const {
    return {kOtherScheme, fmt::format("the hub answers {}; use {}",
                                      url_.tls ? "plain http, not https" : "https, not plain http",
                                      url_.OfOtherScheme())};
  }

  core::Status Open() {
    error_code error;
    tcp::resolver resolver(context_);
    const auto places = resolver.resolve(url_.host, url_.port, error);
    if (error) return Failed(error);
    error = Await([&](auto done) {
      beast::get_lowest_layer(stream_).async_connect(
          places, [done](error_code failure, const tcp::endpoint&) mutable { done(failure); });
    });
    if (error) return Failed(error);
    SocketOf(stream_).set_option(tcp::no_delay(true), error);
    return Secure();
  }

  core::Status Secure() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      const error_code error =
          Await([&](auto done) { stream_.async_handshake(TlsStream::client, done); });
      if (!error) return core::Ok();
      const long verdict = SSL_get_verify_result(stream_.native_handle());
      if (verdict != X509_V_OK) {
        return core::Error{kUntrusted,
                           fmt::format("the hub's certificate is not accepted: {} (authorities: "
                                       "{}; name others with --ca FILE)",
                                       X509_verify_cert_error_string(verdict), trust_.place)};
      }
      if (ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_WRONG_VERSION_NUMBER) {
        return OtherScheme();
      }
      return core::Error{kNoAnswer, "TLS: " + Failed(error).detail};
    }
    return core::Ok();
  }

  error_code Write(const Request& request) {
    http::request<http::span_body<const char>> message;
    message.method_string(request.method);
    message.target(url_.prefix + request.target);
    message.set(http::field::host, url_.origin);
    for (const auto& [name, value] : request.headers) message.set(name, value);
    message.body() = {request.body.data(), request.body.size()};
    if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
      message.content_length(request.body.size());
    }
    return Await([&](auto done) { http::async_write(stream_, message, done); });
  }

  core::Result<Answer> Read(const Request& request) {
    for (;;) {
      http::response_parser<http::string_body> parser;
      parser.body_limit(kMaxAnswerBytes);
      parser.header_limit(kMaxHeadBytes);
      parser.skip(request.method == "HEAD");
      // Reads only the head first, because Beast 1.74 ignores a length beyond the limit if the body
      // begins in the same packet.
      error_code error =
          Await([&](auto done) { http::async_read_header(stream_, buffer_, parser, done); });
      const std::size_t most = MostBytes(request, static_cast<int>(parser.get().result_int()));
      if (!error && parser.content_length().value_or(0) > most) error = http::error::body_limit;
      parser.body_limit(most);
      while (!error && !parser.is_done()) {
        error = Await([&](auto done) { http::async_read_some(stream_, buffer_, parser, done); });
      }
      heard_ = heard_ || parser.got_some() || buffer_.size() > 0;
      closed_ = error && error != beast::error::timeout;
      if (error) return Unread(error, most);
      if (static_cast<int>(parser.get().result_int()) < kFirstFinalStatus) continue;
      keeps_ = parser.keep_alive() && buffer_.size() == 0;
      return AnswerOf(parser.release());
    }
  }

  core::Error Unread(const error_code& error, std::size_t most) const {
    const std::string_view bytes(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    if (!url_.tls && IsTlsRecord(bytes)) return OtherScheme();
    if (error == http::error::body_limit) {
      return {kAnswerTooLarge, fmt::format("the answer is larger than {} bytes", most)};
    }
    return Failed(error);
  }

  const Url url_;
  const Trust trust_;
  net::io_context context_{1};
  Stream stream_;
  beast::flat_buffer buffer_{kMaxBufferBytes};
  Clock::time_point deadline_;
  bool open_ = false, heard_ = false, keeps_ = false, closed_ = false;
};

// Sets the name that the certificate must have. Also sends this name, so that the server can choose
// a certificate.
void ExpectHost(SSL* ssl, const std::string& host) {
  X509_VERIFY_PARAM* const parameters = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host.c_str()) == 1) return;
  ERR_clear_error();
  X509_VERIFY_PARAM_set1_host(parameters, host.c_str(), host.size());
  SSL_set_tlsext_host_name(ssl, host.c_str());
}

}  // namespace

std::size_t MostBytes(const Request& request, int status) {
  constexpr int kFirstProblem = 400;
  return request.method == "GET" && status < kFirstProblem ? kMaxAnswerBytes : kMaxReceiptBytes;
}

std::unique_ptr<Connection> MakeConnection(const Url& url, const Trust& trust) {
  if (!url.tls) {
    return std::make_unique<StreamConnection<beast::tcp_stream>>(
        url, trust, [](net::io_context& context) { return beast::tcp_stream(context); });
  }
  return std::make_unique<StreamConnection<TlsStream>>(url, trust, [&](net::io_context& context) {
    SSL_CTX_up_ref(trust.context.get());  // Asio's context owns this reference
    net::ssl::context tls(trust.context.get());
    TlsStream stream(context, tls);
    ExpectHost(stream.native_handle(), url.host);
    return stream;
  });
}

}  // namespace tunehub::agent
