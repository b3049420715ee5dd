#include "server/tls/identity.h"

#include <openssl/ssl.h>

#include "server/tls/context.h"

namespace tunehub::tls {

core::Result<std::shared_ptr<TlsIdentity>> TlsIdentity::Load(Files files) {
  std::shared_ptr<TlsIdentity> identity(new TlsIdentity(std::move(files)));
  if (const auto loaded = identity->Reload(); !loaded.ok()) return loaded.error();
  return identity;
}

core::Result<TlsIdentity::Reloaded> TlsIdentity::Reload() {
  const std::lock_guard one_at_a_time(reloading_);
  auto credentials = ReadCredentials(files_);
  if (!credentials.ok()) return credentials.error();
  auto context = MakeContext(*credentials);
  if (!context.ok()) return context.error();
  const std::lock_guard lock(mutex_);
  if (credentials->digest == credentials_.digest) {
    credentials_.remarks =
        std::move(credentials->remarks);  // time has passed: the warnings may differ
    return Reloaded::kSame;
  }
  credentials_ = *std::move(credentials);
  context_ = *std::move(context);
  return Reloaded::kOther;
}

std::shared_ptr<ssl_ctx_st> TlsIdentity::context() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

std::chrono::system_clock::time_point TlsIdentity::expires() const {
  const std::lock_guard lock(mutex_);
  return credentials_.expires;
}

std::vector<std::string> TlsIdentity::remarks() const {
  const std::lock_guard lock(mutex_);
  return credentials_.remarks;
}

namespace {

core::Error NoExchange(const std::string& step) {
  return {"no_answer", step + ": " + TakeOpensslError("the connection ended")};
}

}  // namespace

core::Result<std::string> Exchange(int fd, const std::string& request, std::size_t most_bytes) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  &SSL_CTX_free);
  if (context == nullptr) return NoExchange("TLS");
  const std::unique_ptr<SSL, decltype(&SSL_free)> connection(SSL_new(context.get()), &SSL_free);
  if (connection == nullptr || SSL_set_fd(connection.get(), fd) != 1) return NoExchange("TLS");
  if (SSL_connect(connection.get()) != 1) return NoExchange("the TLS handshake");
  if (SSL_write(connection.get(), request.data(), static_cast<int>(request.size())) <= 0)
    return NoExchange("the request");
  std::string answer;
  char buffer[16 * 1024];
  for (;;) {
    const int size = SSL_read(connection.get(), buffer, sizeof buffer);
    if (size > 0 && answer.size() <= most_bytes) {
      answer.append(buffer, static_cast<std::size_t>(size));
      continue;
    }
    const int error = SSL_get_error(connection.get(), size);
    if (size <= 0 && error == SSL_ERROR_ZERO_RETURN) return answer;
    return size > 0 ? core::Error{"no_answer", "the answer is too long"} : NoExchange("the answer");
  }
}

}  // namespace tunehub::tls
