#include "server/tls/identity.h"

#include <utility>

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
    credentials_.remarks = std::move(credentials->remarks);  // time has passed
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

}  // namespace tunehub::tls
