// A server: its address, whose certificates it may have, and one connection to it with requests on
// it one after another.
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
  std::string host;    // as it is resolved: an IPv6 address without brackets
  std::string port;    // its scheme's, where none is given
  std::string origin;  // "hub:8443", as a request's Host has it and as it was written
  std::string prefix;  // "/prefix", without a slash at its end; "" for none

  // The same with the other scheme.
  std::string OfOtherScheme() const;
  // The same address always in the same words: "https://hub:8443/prefix".
  std::string Normal() const;
};

// Errors: bad_url, with the reason alone.
core::Result<Url> ParseUrl(const std::string& text);

// Whose word counts for a server's certificate: the certificate authorities of this host, found
// when the program runs, since it is linked with an OpenSSL of its own.
struct Trust {
  std::shared_ptr<ssl_ctx_st> context;
  std::string place;  // where the authorities are from
};

// `ca_file`: the only ones; "": $SSL_CERT_FILE and $SSL_CERT_DIR, else the first of the files where
// Linux distributions have them. Errors: no_ca (there is none, with the places), bad_ca (the named
// one holds none).
core::Result<Trust> LoadTrust(const std::string& ca_file);

// One request, one answer, whatever carries them.
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

// The whole registry as one bundle stays far below; an endless answer must not fill the memory.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{256} << 20;
// A problem, or the answer to what is sent: a receipt, a job.
inline constexpr std::size_t kMaxReceiptBytes = std::size_t{16} << 20;
// What an answer to the request may have, packed or not.
std::size_t MostBytes(const Request& request, int status);

// What Exchange's errors are: no answer came, the certificate is not good enough, the server speaks
// http where https was asked for (or the other way round), more than MostBytes, a request
// whose target or headers would not be one line each.
inline constexpr char kNoAnswer[] = "no_answer", kUntrusted[] = "untrusted",
                      kOtherScheme[] = "other_scheme", kAnswerTooLarge[] = "answer_too_large",
                      kUnsendable[] = "bad_request";

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Connection() = default;
  // Connects, the first time, and asks. All of it ends by the deadline, save the resolution of a
  // name, which nothing can interrupt and the system ends by itself. The body is as it came.
  virtual core::Result<Answer> Exchange(const Request& request, Clock::time_point deadline) = 0;
  // Whether a byte of the last answer came: if none did, the server may never have had the request.
  virtual bool Heard() const = 0;
  // Whether the server keeps it open, and has not closed it since.
  virtual bool Lives() = 0;
};

// `trust`: of https alone.
std::unique_ptr<Connection> MakeConnection(const Url& url, const Trust& trust);

}  // namespace tunehub::agent
