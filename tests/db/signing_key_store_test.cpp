// The secret key's file must match the public keys in the database.
#include "server/keys/signing_key_store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

struct SigningKeyTest : testing::Test {
  test::Registry registry;
  test::TempDir dir;
  fs::path file = dir.path() / "signing_key";

  core::PublicKey Load() { return Must(LoadSigningKey(registry.pool, file)).public_key(); }
  core::Error Refused() { return LoadSigningKey(registry.pool, file).error(); }
};

TEST_F(SigningKeyTest, is_made_once_for_its_owner_alone) {
  const core::PublicKey key = Load();
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  EXPECT_EQ(Load(), key);
  ASSERT_THAT(ListSigningKeys(registry.pool), SizeIs(1));
  EXPECT_EQ(ListSigningKeys(registry.pool).front().text, key.Text());
  EXPECT_EQ(test::QueryText(registry.url, "SELECT string_agg(action, ' ') FROM audit"), "key sign");
}

TEST_F(SigningKeyTest, a_file_that_is_there_first_is_taken) {
  dir.Write("signing_key", core::SecretKey::NewText());
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read);  // as Kubernetes mounts it
  const core::PublicKey key = Load();
  EXPECT_EQ(key.Text(), ListSigningKeys(registry.pool).front().text);
}

TEST_F(SigningKeyTest, another_secret_or_none_is_refused_with_what_to_do) {
  const core::PublicKey key = Load();
  fs::rename(file, dir / "away");
  EXPECT_EQ(Refused().code, "other_signing_key");
  EXPECT_THAT(Refused().detail, HasSubstr("is missing"));
  dir.Write("signing_key", core::SecretKey::NewText());
  EXPECT_EQ(Refused().code, "bad_signing_key");
  EXPECT_THAT(Refused().detail, HasSubstr("chmod 0600"));
  fs::permissions(file, fs::perms::owner_read);
  EXPECT_EQ(Refused().code, "other_signing_key");
  EXPECT_THAT(Refused().detail, HasSubstr(key.Text()));
  EXPECT_THAT(Refused().detail, HasSubstr("key rotate-signing --lost"));
  dir.Write("signing_key", "no secret\n");
  EXPECT_EQ(Refused().code, "bad_signing_key");
  EXPECT_THAT(ListSigningKeys(registry.pool), SizeIs(1));
}

TEST_F(SigningKeyTest, a_rotation_is_signed_by_the_old_key) {
  const core::PublicKey old_key = Load();
  const core::PublicKey key = Must(RotateSigningKey(registry.pool, file, false)).public_key();
  EXPECT_EQ(Load(), key);
  const auto keys = ListSigningKeys(registry.pool);
  ASSERT_THAT(keys, SizeIs(2));
  EXPECT_TRUE(core::CheckSignature(old_key, Must(core::ParseSignature(keys[1].rotation)),
                                   key.Text(), core::RotationStatement(key))
                  .ok());
}

TEST_F(SigningKeyTest, a_lost_secret_signs_nothing_and_only_a_command_may_say_so) {
  Load();
  fs::remove(file);
  EXPECT_EQ(RotateSigningKey(registry.pool, file, false).error().code, "other_signing_key");
  const auto made = Must(RotateSigningKey(registry.pool, file, true));
  EXPECT_EQ(Load(), made.public_key());
  EXPECT_EQ(ListSigningKeys(registry.pool).back().rotation, "");
}

TEST_F(SigningKeyTest, a_rotation_that_was_cut_short_is_finished) {
  Load();
  const std::string old_secret = test::ReadText(file);
  const core::PublicKey key = Must(RotateSigningKey(registry.pool, file, false)).public_key();
  fs::rename(file, file.string() + ".next");
  dir.Write("signing_key", old_secret);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(Load(), key);
  EXPECT_FALSE(fs::exists(file.string() + ".next"));
}

}  // namespace
}  // namespace tunehub::server
