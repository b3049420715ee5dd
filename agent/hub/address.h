// Where a hub is, and whose certificates it may have.
#pragma once

#include <memory>
#include <string>

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

}  // namespace tunehub::agent
