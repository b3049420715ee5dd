// The server's certificate and key. They may be replaced while the server runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "server/tls/credentials.h"

struct ssl_ctx_st;

namespace tunehub::tls {

class TlsIdentity {
 public:
  // Errors: those of ReadCredentials and MakeContext.
  static core::Result<std::shared_ptr<TlsIdentity>> Load(Files files);

  enum class Reloaded { kSame, kOther };
  // Reads the files again. New connections get the new certificate. Existing connections keep the
  // old certificate. After an error nothing has changed.
  core::Result<Reloaded> Reload();

  // The context for a new connection. All calls of this class are safe from any thread.
  std::shared_ptr<ssl_ctx_st> context() const;
  std::chrono::system_clock::time_point expires() const;
  // Warnings about the current certificate, in sentences.
  std::vector<std::string> remarks() const;

 private:
  explicit TlsIdentity(Files files) : files_(std::move(files)) {}

  const Files files_;
  std::mutex reloading_;
  mutable std::mutex mutex_;  // guards the members below
  Credentials credentials_;
  std::shared_ptr<ssl_ctx_st> context_;
};

// Acts as a TLS client of a server on this host. Sends the request over a connected socket and
// returns all bytes of the answer. Accepts any certificate of the server, because this exchange is
// not secret. The socket's own timeouts apply. Errors: no_answer.
core::Result<std::string> Exchange(int fd, const std::string& request, std::size_t most_bytes);

}  // namespace tunehub::tls
