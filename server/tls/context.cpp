#include "server/tls/context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <chrono>
#include <new>
#include <string_view>
#include <system_error>

namespace tunehub::tls {

std::string TakeOpensslError(const char* otherwise) {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  if (error == 0) return otherwise;
  if (ERR_SYSTEM_ERROR(error)) return std::generic_category().message(ERR_GET_REASON(error));
  const char* const reason = ERR_reason_error_string(error);
  return reason == nullptr ? otherwise : reason;
}

namespace {

// Ciphers of TLS 1.2 with forward secrecy and authenticated encryption. All ciphers of TLS 1.3 have
// both.
constexpr char kCiphers12[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
// Only fast groups, because every handshake computes with one of them.
constexpr char kGroups[] = "X25519:P-256:P-384";
constexpr unsigned char kSessionContext[] = "tunehub";
// The time during which a client may resume a session.
constexpr std::chrono::hours kSessionLife{2};

// Refuses a client that offers only other protocols. Otherwise an attacker could make the client
// read the server's answers in another protocol.
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned offered_size, void*) {
  static constexpr std::string_view kHttp11 = "\x08http/1.1";
  const auto* const ours = reinterpret_cast<const unsigned char*>(kHttp11.data());
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, ours, kHttp11.size(), offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

void Restrict(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_cipher_list(context, kCiphers12);
  SSL_CTX_set1_groups_list(context, kGroups);
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
}

// Only the clients keep sessions. A cache here would need a lock for all reactors, and anybody
// could fill it.
void ResumeByTickets(SSL_CTX* context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(context, kSessionContext, sizeof kSessionContext - 1);
  SSL_CTX_set_timeout(context, std::chrono::seconds(kSessionLife).count());
}

// The modes that Engine needs.
void SetModes(SSL_CTX* context) {
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // In this mode a read would continue while handshake messages arrive, and block other
  // connections.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_read_ahead(context, 1);  // otherwise each record takes two system calls
}

bool Show(SSL_CTX* context, const Credentials& credentials) {
  const std::unique_ptr<STACK_OF(X509), void (*)(STACK_OF(X509)*)> chain(
      sk_X509_new_null(), [](STACK_OF(X509) * it) { sk_X509_free(it); });
  for (std::size_t i = 1; i < credentials.chain.size(); ++i) {
    sk_X509_push(chain.get(), credentials.chain[i].get());
  }
  return SSL_CTX_use_cert_and_key(context, credentials.chain.front().get(), credentials.key.get(),
                                  chain.get(), 1) == 1;
}

}  // namespace

core::Result<std::shared_ptr<SSL_CTX>> MakeContext(const Credentials& credentials) {
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr) throw std::bad_alloc();
  Restrict(context.get());
  ResumeByTickets(context.get());
  SetModes(context.get());
  if (!Show(context.get(), credentials)) {
    return core::Error{"bad_tls", "OpenSSL rejects this certificate and key: " +
                                      TakeOpensslError("without a reason")};
  }
  return context;
}

void SendHostName(SSL* connection, const std::string& host) {
  SSL_set_tlsext_host_name(connection, host.c_str());
}

}  // namespace tunehub::tls
