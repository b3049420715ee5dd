// Whose word counts for a server's certificate: the certificate authorities of this host, found
// when the program runs, since it is linked with an OpenSSL of its own.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"

struct ssl_ctx_st;

namespace tunehub::agent {

struct Trust {
  std::shared_ptr<ssl_ctx_st> context;
  std::string place;  // where the authorities are from
};

// `ca_file`: the only ones; "": $SSL_CERT_FILE and $SSL_CERT_DIR, else the first of the files where
// Linux distributions have them. Errors: no_ca (there is none, with the places), bad_ca (the named
// one holds none).
core::Result<Trust> LoadTrust(const std::string& ca_file);

}  // namespace tunehub::agent
