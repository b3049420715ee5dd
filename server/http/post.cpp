#include "server/http/post.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "core/base/text.h"
#include "server/tls/context.h"

namespace tunehub::http {
namespace {

namespace net = boost::asio;
using net::ip::tcp;
using ErrorCode = boost::system::error_code;
using TlsSocket = net::ssl::stream<tcp::socket>;

constexpr std::size_t kMostLine = 1024;  // bytes of an answer's first line

class Post {
 public:
  Post(const WebAddress& to, const std::string& body, std::chrono::milliseconds patience)
      : to_(to),
        request_(fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: tunehub\r\n"
                             "Content-Type: application/json\r\nContent-Length: {}\r\n"
                             "Connection: close\r\n\r\n{}",
                             to.target, to.origin, body.size(), body)),
        deadline_(std::chrono::steady_clock::now() + patience) {}

  core::Status Send() {
    if (!to_.tls) {
      tcp::socket socket(context_);
      Connect(socket);
      return Exchange(socket);
    }
    net::ssl::context trust(net::ssl::context::tls_client);
    trust.set_default_verify_paths();
    TlsSocket socket(context_, trust);
    socket.set_verify_mode(net::ssl::verify_peer);
    socket.set_verify_callback(net::ssl::host_name_verification(to_.host));
    tls::SendHostName(socket.native_handle(), to_.host);
    Connect(socket.next_layer());
    Do([&](auto done) { socket.async_handshake(TlsSocket::client, done); });
    return Exchange(socket);
  }

 private:
  // Unless an earlier step failed: starts a step and waits until it ends, or until the deadline.
  template <typename Begin>
  void Do(Begin begin) {
    if (error_) return;
    error_ = net::error::timed_out;
    begin([this](ErrorCode error, const auto&...) { error_ = error; });
    context_.restart();
    context_.run_until(deadline_);
  }

  void Connect(tcp::socket& socket) {
    tcp::resolver resolver(context_);
    tcp::resolver::results_type places;
    Do([&](auto done) {
      resolver.async_resolve(to_.host, to_.port, [&places, done](ErrorCode error, auto found) {
        places = std::move(found);
        done(error);
      });
    });
    Do([&](auto done) { net::async_connect(socket, places, done); });
  }

  template <typename Socket>
  core::Status Exchange(Socket& socket) {
    std::string line;
    Do([&](auto done) { net::async_write(socket, net::buffer(request_), done); });
    Do([&](auto done) {
      net::async_read_until(socket, net::dynamic_buffer(line, kMostLine), "\r\n", done);
    });
    if (error_ == net::error::timed_out) return Unsent("it does not answer in time");
    if (error_) return Unsent(error_.message());
    line.resize(line.find("\r\n"));
    if (line.starts_with("HTTP/1.") && line.find(" 2") == line.find(' ')) return core::Ok();
    return Unsent("it answers " + std::string(core::Excerpt(core::PlainText(line))));
  }

  static core::Error Unsent(std::string why) { return {"not_sent", std::move(why)}; }

  const WebAddress& to_;
  const std::string request_;
  const std::chrono::steady_clock::time_point deadline_;
  net::io_context context_{1};
  ErrorCode error_;
};

}  // namespace

core::Result<WebAddress> ParseWebAddress(const std::string& text) {
  const std::size_t begin = text.find("//") + 2;
  const std::size_t end = std::min(text.find_first_of("/?#", begin), text.size());
  const std::string scheme = core::Lower(text.substr(0, begin));
  WebAddress to;
  to.tls = scheme == "https://";
  const bool is_odd = std::ranges::any_of(text, [](char c) { return c <= ' ' || c > '~'; });
  if ((!to.tls && scheme != "http://") || is_odd)
    return core::Error{"bad_address", "expected an address that begins with http:// or https://"};
  to.origin = text.substr(begin, end - begin);
  to.target = text.substr(end, text.find('#', end) - end);
  if (!to.target.starts_with('/')) to.target.insert(0, "/");
  const std::size_t host_end = to.origin.rfind(']') + 1;  // of an IPv6 address; else 0
  const std::size_t colon = std::min(to.origin.find(':', host_end), to.origin.size());
  to.host = to.origin.substr(0, colon);
  if (host_end > 0) to.host = to.host.substr(1, host_end - 2);
  to.port = to.tls ? "443" : "80";
  if (colon < to.origin.size()) to.port = to.origin.substr(colon + 1);
  if (!to.host.empty() && to.origin.find('@') == std::string::npos &&
      core::NumberFrom<unsigned short>(to.port).value_or(0) > 0) {
    return to;
  }
  return core::Error{"bad_address", "expected a host, and perhaps a port"};
}

core::Status PostJson(const WebAddress& to, const std::string& body,
                      std::chrono::milliseconds patience) {
  return Post(to, body, patience).Send();
}

}  // namespace tunehub::http
