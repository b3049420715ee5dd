// What the server shows of itself: a certificate and its key, which may be exchanged while it runs.
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
  // Reads the files again. Connections that come from now on are shown what is new, older ones go
  // on as they are; on an error everything stays.
  core::Result<Reloaded> Reload();

  // For a new connection. From any thread, as is all of this.
  std::shared_ptr<ssl_ctx_st> context() const;
  std::chrono::system_clock::time_point expires() const;
  // Of what is in force: what is no reason to refuse it, in sentences.
  std::vector<std::string> remarks() const;

 private:
  explicit TlsIdentity(Files files) : files_(std::move(files)) {}

  const Files files_;
  std::mutex reloading_;
  mutable std::mutex mutex_;  // guards the rest
  Credentials credentials_;
  std::shared_ptr<ssl_ctx_st> context_;
};

// TLS as a client, for a server of this host that is asked how it is.

// Sends the request over a connected socket and answers all that comes until its end. The peer's
// certificate is not judged: nothing that is said is a secret. The socket's own time-outs hold.
// Errors: no_answer.
core::Result<std::string> Exchange(int fd, const std::string& request, std::size_t most_bytes);

}  // namespace tunehub::tls
