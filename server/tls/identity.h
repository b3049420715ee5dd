// The server's certificate and key, which may be exchanged while it runs.
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
  // Reads the files again. New connections get the new certificate, existing ones keep theirs; on
  // an error nothing changes.
  core::Result<Reloaded> Reload();

  // For a new connection. Any thread may call all of this class.
  std::shared_ptr<ssl_ctx_st> context() const;
  std::chrono::system_clock::time_point expires() const;
  // Warnings about the current certificate, in sentences.
  std::vector<std::string> remarks() const;

 private:
  explicit TlsIdentity(Files files) : files_(std::move(files)) {}

  const Files files_;
  std::mutex reloading_;
  mutable std::mutex mutex_;  // guards the rest
  Credentials credentials_;
  std::shared_ptr<ssl_ctx_st> context_;
};

// As a client of a server on this host: sends the request over a connected socket, and returns all
// bytes until its end. Accepts any certificate of the peer: nothing here is secret. The socket's
// own timeouts hold. Errors: no_answer.
core::Result<std::string> Exchange(int fd, const std::string& request, std::size_t most_bytes);

}  // namespace tunehub::tls
