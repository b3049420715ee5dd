#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "agent/hub/connection.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kPlain = "http://", kTls = "https://";
constexpr int kMostPort = 65535;

core::Error BadUrl(std::string reason) {
  return {"bad_url", std::move(reason)};
}

// Refuses characters that no address contains, since they would change the request's meaning.
std::optional<core::Error> Unwanted(std::string_view rest) {
  struct Mark {
    char mark;
    const char* reason;
  };
  constexpr Mark kMarks[] = {{'?', "remove the query (from ?)"},
                             {'#', "remove the fragment (from #)"},
                             {'@', "remove the user name; pass a key with --key"}};
  for (const Mark& it : kMarks) {
    if (rest.find(it.mark) != std::string_view::npos) return BadUrl(it.reason);
  }
  const bool odd = std::ranges::any_of(
      rest, [](char c) { return c == ' ' || c == '\\' || c == '"' || core::IsControl(c); });
  if (odd) return BadUrl("it contains a character that an address cannot contain");
  return std::nullopt;
}

// Splits "hub", "hub:8080", "[::1]:8080" into host and port.
core::Status SplitOrigin(Url& url) {
  std::string_view rest = url.origin;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return BadUrl("a ']' is missing after '['");
    url.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    url.host = rest.substr(0, rest.find(':'));
    rest.remove_prefix(url.host.size());
  }
  if (url.host.empty()) return BadUrl("the host is missing");
  if (rest.empty()) return core::Ok();
  const std::string port(rest.substr(1));
  const auto number = core::ParseInt(port);
  if (!rest.starts_with(':') || !number || *number < 1 || *number > kMostPort) {
    return BadUrl("'" + port + "' is not a port");
  }
  url.port = port;
  return core::Ok();
}

// Each distribution's bundle of all authorities, tried in this order.
constexpr const char* kBundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Alpine, Arch
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL
    "/etc/pki/tls/certs/ca-bundle.crt",                   // older Fedora, RHEL
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
  return reason == nullptr ? "the file contains no certificate" : reason;
}

core::Result<Trust> OfFile(const std::string& file, const char* named_by) {
  Trust trust{MakeContext(), file};
  if (SSL_CTX_load_verify_file(trust.context.get(), file.c_str()) == 1) return trust;
  return core::Error{"bad_ca", fmt::format("{} {}: cannot read certificates from this file: {}",
                                           named_by, file, WhyOpensslFailed())};
}

// SSL_CERT_FILE is a file, SSL_CERT_DIR lists folders of files named by hashes, as in OpenSSL.
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

std::string Url::OfOtherScheme() const {
  return std::string(tls ? kPlain : kTls) + origin + prefix;
}

std::string Url::Normal() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return std::string(tls ? kTls : kPlain) + (is_v6 ? "[" : "") + core::Lower(host) +
         (is_v6 ? "]:" : ":") + port + prefix;
}

core::Result<Url> ParseUrl(const std::string& text) {
  const std::string scheme = core::Lower(text.substr(0, text.find("//"))) + "//";
  Url url;
  url.tls = scheme == kTls;
  if (!url.tls && scheme != kPlain) return BadUrl("it must begin with http:// or https://");
  const std::string_view rest = std::string_view(text).substr(scheme.size());
  if (const auto unwanted = Unwanted(rest)) return *unwanted;
  const std::size_t path = std::min(rest.find('/'), rest.size());
  url.origin = rest.substr(0, path);
  url.prefix = rest.substr(path);
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  if (url.prefix.ends_with("/ui")) return BadUrl("remove /ui, the path of the dashboard");
  url.port = url.tls ? "443" : "80";
  if (const auto split = SplitOrigin(url); !split.ok()) return split.error();
  return url;
}

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
                     fmt::format("this host has no file of certificate authorities (searched {}): "
                                 "install ca-certificates, or pass such a file with --ca FILE",
                                 fmt::join(kBundles, ", "))};
}

}  // namespace tunehub::agent
