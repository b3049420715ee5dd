// The server refuses certificates and keys that it cannot serve with.
#include "server/tls/credentials.h"

#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>

#include "server/tls/context.h"
#include "server/tls/identity.h"
#include "tests/support/hub_identity.h"
#include "tests/support/result.h"

namespace tunehub::tls {
namespace {

using test::HubIdentity;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kHere[] = "IP:127.0.0.1";

class TlsCredentials : public testing::Test {
 protected:
  Files files() const { return {hub_.certificate(), hub_.key()}; }
  test::Identity Signed(int days = 30) const { return hub_.authority().Sign(kHere, days); }
  // The text of the refusal.
  std::string Refusal() const {
    const auto read = ReadCredentials(files());
    EXPECT_FALSE(read.ok());
    if (read.ok()) return "";
    EXPECT_EQ(read.error().code, "bad_tls");
    return read.error().detail;
  }

  HubIdentity hub_;
};

// Returns the key, encrypted with a passphrase.
std::string Encrypted(const std::string& key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in(
      BIO_new_mem_buf(key.data(), static_cast<int>(key.size())), BIO_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> read(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  char passphrase[] = "secret";
  PEM_write_bio_PKCS8PrivateKey(out.get(), read.get(), EVP_aes_256_cbc(), passphrase, 6, nullptr,
                                nullptr);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

TEST_F(TlsCredentials, a_pair_that_fits_is_read_with_its_end) {
  const auto read = Must(ReadCredentials(files()));
  EXPECT_EQ(read.chain.size(), 1U);
  EXPECT_THAT(read.remarks, IsEmpty());
  const auto days = std::chrono::duration_cast<std::chrono::hours>(
                        read.expires - std::chrono::system_clock::now()) /
                    24;
  EXPECT_NEAR(static_cast<double>(days.count()), 30, 1);
}

TEST_F(TlsCredentials, one_file_may_hold_all_of_it) {
  const auto pair = Signed();
  std::ofstream(hub_.certificate()) << pair.key << pair.certificate << Signed().certificate;
  EXPECT_EQ(Must(ReadCredentials({hub_.certificate(), hub_.certificate()})).chain.size(), 2U);
}

TEST_F(TlsCredentials, a_file_that_is_not_there_or_no_file_is_named) {
  std::filesystem::remove(hub_.key());
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls_key " + hub_.key().string()), HasSubstr("No such")));
  ASSERT_EQ(::mkfifo(hub_.key().c_str(), 0600), 0);  // a pipe that nobody writes to
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls_key"), HasSubstr("not a regular file")));
  std::filesystem::remove(hub_.certificate());
  std::filesystem::create_directory(hub_.certificate());
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls_certificate"), HasSubstr("not a regular file")));
}

TEST_F(TlsCredentials, what_holds_no_certificate_or_no_key_is_said) {
  const auto pair = Signed();
  hub_.Replace({"", pair.key});
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls_certificate"), HasSubstr("contains no certificate")));
  hub_.Replace({pair.key, pair.key});
  EXPECT_THAT(Refusal(), HasSubstr("contains no certificate"));
  hub_.Replace({pair.certificate, pair.certificate});
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls_key"), HasSubstr("contains no private key")));
  std::string broken = pair.certificate;
  broken[broken.size() / 2] = '!';
  hub_.Replace({broken, pair.key});
  EXPECT_THAT(Refusal(), HasSubstr("cannot read its certificate number 1"));
  hub_.Replace({pair.certificate + broken, pair.key});
  EXPECT_THAT(Refusal(), HasSubstr("cannot read its certificate number 2"));
  hub_.Replace({pair.certificate, pair.key.substr(0, 80) + "\n-----END PRIVATE KEY-----\n"});
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls_key"), HasSubstr("cannot read its private key")));
}

TEST_F(TlsCredentials, an_encrypted_key_is_refused_and_nobody_is_asked) {
  const auto pair = Signed();
  hub_.Replace({pair.certificate, Encrypted(pair.key)});
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("is encrypted"), HasSubstr("openssl pkey")));
}

TEST_F(TlsCredentials, a_key_of_another_certificate_is_refused_and_a_wrong_order_is_seen) {
  const auto own = Signed(), other = Signed();
  hub_.Replace({own.certificate, other.key});
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls_key " + hub_.key().string()),
                               HasSubstr("not the key of the certificate"),
                               HasSubstr(hub_.certificate().string())));
  hub_.Replace({other.certificate + own.certificate, own.key});
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("number 2"), HasSubstr("must come first")));
}

TEST_F(TlsCredentials,
       a_certificate_is_refused_before_and_after_its_time_and_remarked_near_its_end) {
  hub_.Replace(Signed(-1));
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("tls_certificate " + hub_.certificate().string()),
                               HasSubstr("expired at 20")));
  hub_.Replace(Signed());
  const auto now = std::chrono::system_clock::now();
  const auto early = ReadCredentials(files(), now - std::chrono::days(31));
  ASSERT_FALSE(early.ok());
  EXPECT_THAT(early.error().detail, HasSubstr("is not valid before 20"));
  const auto late = Must(ReadCredentials(files(), now + std::chrono::days(20)));
  EXPECT_THAT(late.remarks, ElementsAre(HasSubstr("expires at 20")));
  hub_.Replace({Signed().certificate, ""});
  const auto pair = Signed();
  hub_.Replace({pair.certificate + Signed(-1).certificate, pair.key});
  const auto chain = Must(ReadCredentials(files()));
  EXPECT_THAT(chain.remarks,
              ElementsAre(HasSubstr("certificate number 2 in this file expired at 20")));
}

TEST_F(TlsCredentials, a_key_that_everybody_can_read_is_remarked) {
  std::filesystem::permissions(hub_.key(), std::filesystem::perms(0644));
  EXPECT_THAT(ReadCredentials(files())->remarks, ElementsAre(HasSubstr("every user of this host")));
  std::filesystem::permissions(hub_.key(), std::filesystem::perms(0640));
  EXPECT_THAT(ReadCredentials(files())->remarks, IsEmpty());
}

TEST_F(TlsCredentials, a_key_too_short_is_refused) {
  hub_.Replace(hub_.authority().Sign(kHere, 30, 1024));
  const auto loaded = TlsIdentity::Load(files());
  EXPECT_EQ(ErrorCode(loaded), "bad_tls");
  EXPECT_THAT(loaded.error().detail, HasSubstr("key too small"));
  hub_.Replace(hub_.authority().Sign(kHere, 30, 2048));
  EXPECT_TRUE(TlsIdentity::Load(files()).ok());
}

}  // namespace
}  // namespace tunehub::tls
