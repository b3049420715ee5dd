// A server's address, the authorities that the agent trusts, and a connection that sends one
// request at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

struct ssl_ctx_st;

namespace tunehub::agent {

// A server's address: "https://hub:8443/prefix".
struct Url {
  bool tls = false;
  std::string host;    // for the resolver: an IPv6 address without brackets
  std::string port;    // default: the port of http or https
  std::string origin;  // "hub:8443", for the Host header, as the user wrote it
  std::string prefix;  // "/prefix" without a slash at its end; "": none

  // The address with https instead of http, or the reverse.
  std::string OfOtherScheme() const;
  // The normal form, which is equal for equal addresses: "https://hub:8443/prefix".
  std::string Normal() const;
};

// Errors: bad_url, with the reason only.
core::Result<Url> ParseUrl(const std::string& text);

// The certificate authorities that the agent trusts. The agent searches for their file at run time,
// because the OpenSSL in this program does not know the host's paths.
struct Trust {
  std::shared_ptr<ssl_ctx_st> context;
  std::string place;  // the file or folders of the authorities
};

// `ca_file`: the file of the only trusted authorities. "": uses $SSL_CERT_FILE and $SSL_CERT_DIR,
// else the first known file of a Linux distribution. Errors: no_ca (no file; lists the paths
// searched), bad_ca (a file without an authority).
core::Result<Trust> LoadTrust(const std::string& ca_file);

// One request and its answer, on any transport.
struct Request {
  std::string method = "GET";
  std::string target;  // path and query, encoded: "/tuned/fmoe?gfx=gfx942"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // decoded

  std::string Header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? "" : found->second;
  }
};

// The limit of an answer, so that an endless answer does not fill the memory. The bundle of a whole
// registry is much smaller.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{256} << 20;
// The limit for problems and for answers to writes, such as a receipt or a job.
inline constexpr std::size_t kMaxReceiptBytes = std::size_t{16} << 20;
// Returns the limit of an answer's body, both compressed and decompressed.
std::size_t MostBytes(const Request& request, int status);

// The errors of Exchange, in this order: no answer; an untrusted certificate; http instead of https
// or the reverse; an answer larger than MostBytes; a target or header that is not one line.
inline constexpr char kNoAnswer[] = "no_answer", kUntrusted[] = "untrusted",
                      kOtherScheme[] = "other_scheme", kAnswerTooLarge[] = "answer_too_large",
                      kUnsendable[] = "bad_request";

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Connection() = default;
  // Connects on the first call, then sends. Returns before the deadline, except that name
  // resolution may take longer. The answer's body stays encoded (gzip).
  virtual core::Result<Answer> Exchange(const Request& request, Clock::time_point deadline) = 0;
  // True if at least one byte of the last answer arrived. Otherwise the server may not have
  // received the request.
  virtual bool Heard() const = 0;
  // True if the server keeps the connection open.
  virtual bool Lives() = 0;
};

// `trust` is for https only.
std::unique_ptr<Connection> MakeConnection(const Url& url, const Trust& trust);

}  // namespace tunehub::agent
