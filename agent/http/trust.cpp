#include "agent/http/trust.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <filesystem>
#include <new>
#include <system_error>

#include "core/base/environment.h"

namespace tunehub::agent {
namespace {

// In this order, each distribution's bundle of all authorities.
constexpr const char* kBundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Alpine, Arch
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL
    "/etc/pki/tls/certs/ca-bundle.crt",                   // older ones of these
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/etc/ssl/cert.pem",                                  // the BSDs, small images
};

std::shared_ptr<SSL_CTX> MakeContext() {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (context == nullptr) throw std::bad_alloc();
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
}

std::string WhyOpensslFailed() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(error)) return std::generic_category().message(ERR_GET_REASON(error));
  const char* const reason = ERR_reason_error_string(error);
  return reason == nullptr ? "it holds no certificate" : reason;
}

core::Result<Trust> OfFile(const std::string& file, const char* named_by) {
  Trust trust{MakeContext(), file};
  if (SSL_CTX_load_verify_file(trust.context.get(), file.c_str()) == 1) return trust;
  return core::Error{"bad_ca", fmt::format("{} {}: no certificates can be read from it: {}",
                                           named_by, file, WhyOpensslFailed())};
}

// As OpenSSL itself has it: the one is a file, the other are folders of files named by hashes.
core::Result<Trust> OfEnvironment(const std::string& file, const std::string& folders) {
  Trust trust{MakeContext(), folders};
  if (!file.empty()) {
    auto of_file = OfFile(file, "SSL_CERT_FILE");
    if (!of_file.ok()) return of_file;
    trust = *std::move(of_file);
  }
  if (!folders.empty()) SSL_CTX_load_verify_dir(trust.context.get(), folders.c_str());
  return trust;
}

}  // namespace

core::Result<Trust> LoadTrust(const std::string& ca_file) {
  if (!ca_file.empty()) return OfFile(ca_file, "--ca");
  const std::string file = core::Environment("SSL_CERT_FILE"),
                    folders = core::Environment("SSL_CERT_DIR");
  if (!file.empty() || !folders.empty()) return OfEnvironment(file, folders);
  for (const char* bundle : kBundles) {
    std::error_code error;
    if (std::filesystem::is_regular_file(bundle, error)) return OfFile(bundle, "the system's");
  }
  return core::Error{"no_ca",
                     fmt::format("this host has no file of certificate authorities (none of {}): "
                                 "install ca-certificates, or name one by --ca FILE",
                                 fmt::join(kBundles, ", "))};
}

}  // namespace tunehub::agent
