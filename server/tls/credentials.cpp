#include "server/tls/credentials.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <ctime>
#include <string_view>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/rfc3339.h"
#include "server/tls/context.h"

namespace tunehub::tls {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::system_clock;
using Chain = std::vector<std::shared_ptr<X509>>;

constexpr std::chrono::days kSoon{14};  // the log warns this long before a certificate expires
constexpr std::size_t kMaxCertificates = 16;  // a chain has three

// A file and the setting by which messages name the file.
struct PemFile {
  const char* setting;
  fs::path path;

  core::Error Error(const std::string& what) const {
    return {"bad_tls", fmt::format("{} {}: {}", setting, path.string(), what)};
  }
};

core::Result<std::string> ReadPem(const PemFile& file) {
  std::error_code error;
  const auto status = fs::status(file.path, error);
  if (error) return file.Error(error.message());
  // Refuses a pipe, because the server would wait for the pipe's writer.
  if (!fs::is_regular_file(status)) return file.Error("is not a regular file");
  const auto bytes = core::FileBytes::Read(file.path);
  if (!bytes.ok()) return core::Error{"bad_tls", bytes.error().detail};
  return std::string(bytes->view());
}

std::shared_ptr<BIO> BioOf(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

core::Result<Chain> ParseChain(const PemFile& file, const std::string& text) {
  Chain chain;
  const auto bio = BioOf(text);
  for (;;) {
    ERR_clear_error();
    X509* const next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr);
    if (next == nullptr) break;
    chain.emplace_back(next, X509_free);
    if (chain.size() > kMaxCertificates) {
      return file.Error(fmt::format("contains more than {} certificates", kMaxCertificates));
    }
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = TakeOpensslError("malformed");
  if (!at_end) {
    return file.Error(
        fmt::format("cannot read its certificate number {}: {}", chain.size() + 1, reason));
  }
  if (chain.empty())
    return file.Error("contains no certificate in PEM (-----BEGIN CERTIFICATE-----)");
  return chain;
}

// OpenSSL calls this for an encrypted key. OpenSSL's own function would prompt on the terminal.
int NotePassphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

core::Result<std::shared_ptr<EVP_PKEY>> ParseKey(const PemFile& file, const std::string& text) {
  if (text.find("PRIVATE KEY-----") == std::string::npos) {
    return file.Error("contains no private key in PEM (-----BEGIN PRIVATE KEY-----)");
  }
  bool encrypted = false;
  ERR_clear_error();
  EVP_PKEY* const key =
      PEM_read_bio_PrivateKey(BioOf(text).get(), nullptr, NotePassphrase, &encrypted);
  const std::string reason = TakeOpensslError("malformed");
  if (key != nullptr) return std::shared_ptr<EVP_PKEY>(key, EVP_PKEY_free);
  if (encrypted) {
    return file.Error(
        "its key is encrypted, but the server cannot ask for a passphrase. Decrypt the key: "
        "openssl pkey -in FILE -out FILE");
  }
  return file.Error("cannot read its private key: " + reason);
}

bool Fits(X509* certificate, EVP_PKEY* key) {
  const bool fits = X509_check_private_key(certificate, key) == 1;
  ERR_clear_error();
  return fits;
}

core::Status CheckPair(const PemFile& certificate, const PemFile& key,
                       const Credentials& credentials) {
  const Chain& chain = credentials.chain;
  if (Fits(chain.front().get(), credentials.key.get())) return core::Ok();
  const auto owner = std::find_if(chain.begin(), chain.end(), [&](const auto& it) {
    return Fits(it.get(), credentials.key.get());
  });
  if (owner != chain.end()) {
    return certificate.Error(
        fmt::format("the certificate of the key {} is number {} in this file, but must come first, "
                    "before its issuers' certificates",
                    key.path.string(), owner - chain.begin() + 1));
  }
  return key.Error(fmt::format("is not the key of the certificate {}", certificate.path.string()));
}

Clock::time_point TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return Clock::time_point::min();
  return Clock::from_time_t(timegm(&parts));
}

std::string ToSeconds(Clock::time_point time) {
  return core::UtcText(time).substr(0, std::string_view("2026-01-31T12:00:00").size()) + "Z";
}

core::Status CheckDates(const PemFile& file, Credentials& credentials, Clock::time_point now) {
  const X509* const own = credentials.chain.front().get();
  const auto begins = TimeOf(X509_get0_notBefore(own));
  if (now < begins) {
    return file.Error(fmt::format("is not valid before {}; the time now is {}", ToSeconds(begins),
                                  ToSeconds(now)));
  }
  if (now >= credentials.expires) {
    return file.Error(fmt::format("expired at {}, and clients would reject it; the time now is {}",
                                  ToSeconds(credentials.expires), ToSeconds(now)));
  }
  if (now + kSoon >= credentials.expires) {
    credentials.remarks.push_back(fmt::format("{} {} expires at {}", file.setting,
                                              file.path.string(), ToSeconds(credentials.expires)));
  }
  for (std::size_t i = 1; i < credentials.chain.size(); ++i) {
    const auto end = TimeOf(X509_get0_notAfter(credentials.chain[i].get()));
    if (now < end) continue;
    credentials.remarks.push_back(
        fmt::format("{} {}: the certificate number {} in this file expired at {}", file.setting,
                    file.path.string(), i + 1, ToSeconds(end)));
  }
  return core::Ok();
}

void RemarkReadableByAll(const PemFile& key, Credentials& credentials) {
  std::error_code error;
  const auto rights = fs::status(key.path, error).permissions();
  if (error || (rights & fs::perms::others_read) == fs::perms::none) return;
  credentials.remarks.push_back(
      fmt::format("every user of this host can read {} {}; run chmod o= on it", key.setting,
                  key.path.string()));
}

}  // namespace

core::Result<Credentials> ReadCredentials(const Files& files, Clock::time_point now) {
  const PemFile certificate{"tls_certificate", files.certificate}, key{"tls_key", files.key};
  const auto certificate_text = ReadPem(certificate);
  if (!certificate_text.ok()) return certificate_text.error();
  const auto key_text = ReadPem(key);
  if (!key_text.ok()) return key_text.error();
  Credentials credentials;
  auto chain = ParseChain(certificate, *certificate_text);
  if (!chain.ok()) return chain.error();
  credentials.chain = *std::move(chain);
  auto own_key = ParseKey(key, *key_text);
  if (!own_key.ok()) return own_key.error();
  credentials.key = *std::move(own_key);
  credentials.expires = TimeOf(X509_get0_notAfter(credentials.chain.front().get()));
  credentials.digest = core::Sha256Hex(*certificate_text) + core::Sha256Hex(*key_text);
  if (const auto pair = CheckPair(certificate, key, credentials); !pair.ok()) return pair.error();
  if (const auto dates = CheckDates(certificate, credentials, now); !dates.ok()) {
    return dates.error();
  }
  RemarkReadableByAll(key, credentials);
  return credentials;
}

}  // namespace tunehub::tls
