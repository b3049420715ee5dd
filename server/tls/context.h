// OpenSSL's context, which all TLS connections of one certificate share.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "server/tls/credentials.h"

struct ssl_ctx_st;
struct ssl_st;

namespace tunehub::tls {

// Returns OpenSSL's reason for the failure of this thread's last call, or `otherwise` if OpenSSL
// gives none. Clears the error.
std::string TakeOpensslError(const char* otherwise);

// TLS 1.2 and 1.3, only ciphers with forward secrecy and authentication, HTTP/1.1 alone. OpenSSL
// gives each context its own ticket keys, so a session resumes only in its first context. Errors:
// bad_tls (OpenSSL rejects the credentials, for example a key that is too short).
core::Result<std::shared_ptr<ssl_ctx_st>> MakeContext(const Credentials& credentials);

// For a client: names the host in the handshake, so that the server can choose a certificate.
void SendHostName(ssl_st* connection, const std::string& host);

}  // namespace tunehub::tls
