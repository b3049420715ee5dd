#include "tests/support/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <fstream>
#include <memory>
#include <stdexcept>

namespace tunehub::test {
namespace {

constexpr long kDay = 24 * 3600;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

void Need(bool done, const char* what) {
  if (!done) throw std::runtime_error(what);
}

template <typename Write>
std::string Pem(Write write) {
  const Memory memory(BIO_new(BIO_s_mem()), BIO_free);
  Need(write(memory.get()) == 1, "PEM");
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

void AddExtension(X509* certificate, int id, const std::string& value) {
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str()), X509_EXTENSION_free);
  Need(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, value.c_str());
}

void SetName(X509_NAME* name, const std::string& text) {
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
}

// If `signer` is null, makes a self-signed authority.
Identity MakeIdentity(const std::string& name, const std::string& issuer, const std::string& names,
                      int days, EVP_PKEY* signer, unsigned rsa_bits = 0) {
  const Key key(rsa_bits == 0 ? EVP_EC_gen("P-256") : EVP_RSA_gen(rsa_bits), EVP_PKEY_free);
  const Certificate certificate(X509_new(), X509_free);
  X509* const x509 = certificate.get();
  X509_set_version(x509, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(x509), signer == nullptr ? 1 : 2);
  X509_gmtime_adj(X509_getm_notBefore(x509), -30 * kDay);
  X509_gmtime_adj(X509_getm_notAfter(x509), days * kDay);
  X509_set_pubkey(x509, key.get());
  SetName(X509_get_subject_name(x509), name);
  SetName(X509_get_issuer_name(x509), issuer);
  if (signer == nullptr) AddExtension(x509, NID_basic_constraints, "critical,CA:TRUE");
  if (!names.empty()) AddExtension(x509, NID_subject_alt_name, names);
  Need(X509_sign(x509, signer == nullptr ? key.get() : signer, EVP_sha256()) > 0, "X509_sign");
  return {Pem([&](BIO* out) { return PEM_write_bio_X509(out, x509); }), Pem([&](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

}  // namespace

Authority::Authority(const std::string& name)
    : name_(name), own_(MakeIdentity(name, name, "", 1, nullptr)) {
  std::ofstream(file()) << own_.certificate;
}

Identity Authority::Sign(const std::string& names, int days, unsigned rsa_bits) const {
  const Memory memory(BIO_new_mem_buf(own_.key.data(), static_cast<int>(own_.key.size())),
                      BIO_free);
  const Key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  Need(key != nullptr, "the authority's key");
  return MakeIdentity("a hub of a test", name_, names, days, key.get(), rsa_bits);
}

}  // namespace tunehub::test
