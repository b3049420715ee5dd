#include "tests/support/hub_identity.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pwd.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace tunehub::test {
namespace {

constexpr char kHubAddress[] = "127.0.0.1";

}  // namespace

HubIdentity::HubIdentity() {
  Renew();
}

void HubIdentity::Replace(const Identity& identity) const {
  std::ofstream(certificate()) << identity.certificate;
  std::ofstream(key()) << identity.key;
  std::filesystem::permissions(
      key(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // If root starts a server, the server switches to user postgres, who must be able to read the
  // key.
  const passwd* const server = ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr;
  if (server != nullptr && ::chown(key().c_str(), server->pw_uid, server->pw_gid) != 0) {
    throw std::runtime_error("chown of the key");
  }
}

void HubIdentity::Renew() const {
  Replace(authority_.Sign(std::string("IP:") + kHubAddress, 30));
}

std::shared_ptr<SSL_CTX> HubIdentity::Client() const {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (SSL_CTX_load_verify_file(context.get(), authority_.file().c_str()) != 1) {
    throw std::runtime_error("the authority's file");
  }
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  X509_VERIFY_PARAM_set1_ip_asc(SSL_CTX_get0_param(context.get()), kHubAddress);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE);
  return context;
}

const HubIdentity& SharedIdentity() {
  static const HubIdentity identity;
  return identity;
}

}  // namespace tunehub::test
