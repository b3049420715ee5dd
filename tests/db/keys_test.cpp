#include "server/keys/keys.h"

#include <chrono>
#include <thread>

#include "core/base/hash.h"
#include "server/keys/key_store.h"
#include "tests/support/comes.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"

namespace tunehub::server {
namespace {

using test::QueryText;

struct KeysTest : testing::Test {
  test::Registry registry;
  Keys keys{registry.pool};

  // Refreshes the list of keys, then checks `bearer`.
  KeyCheck Use(const std::string& bearer, std::string_view scope) {
    keys.Refresh();
    return keys.Use(bearer, scope);
  }
};

TEST_F(KeysTest, a_key_is_shown_once_and_only_its_digest_is_kept) {
  const auto key = Must(keys.Create("submit", std::nullopt));
  EXPECT_EQ(key.secret.size(), 37u);
  EXPECT_TRUE(key.secret.starts_with("thub_"));
  EXPECT_EQ(QueryText(registry.url, "SELECT sha256 FROM api_key"), core::Sha256Hex(key.secret));
  EXPECT_EQ(QueryText(registry.url,
                      "SELECT count(*) FROM api_key k WHERE k::text LIKE '%" + key.secret + "%'"),
            "0");
  EXPECT_NE(keys.Create("submit", std::nullopt)->secret, key.secret);
}

TEST_F(KeysTest, what_is_no_key_is_told_from_an_unknown_one) {
  const std::string secret = keys.Create("submit", {})->secret;
  EXPECT_EQ(keys.Check(secret, "submit").verdict, KeyVerdict::kUnknown)
      << "the key is newer than the list in memory";
  keys.Refresh();
  EXPECT_EQ(keys.Check(secret, "submit").verdict, KeyVerdict::kGranted);
  EXPECT_EQ(Use("thub_" + std::string(32, 'a'), "submit").verdict, KeyVerdict::kUnknown);
  for (const std::string& bad :
       {std::string(), std::string("thub_"), secret + "a", secret.substr(0, 36),
        "THUB_" + secret.substr(5), "thub_" + std::string(31, 'a') + "!"}) {
    EXPECT_EQ(Use(bad, "submit").verdict, KeyVerdict::kMalformed) << bad;
  }
}

// Two listings may run at once, and the older result may arrive last.
TEST_F(KeysTest, an_older_listing_never_replaces_a_newer_one) {
  const auto key = keys.Create("submit", {});
  const server::KeyList older = KeyStore(registry.pool).List();
  ASSERT_TRUE(KeyStore(registry.pool).Revoke(key->record.id));
  keys.Refresh();
  ASSERT_EQ(keys.Check(key->secret, "submit").verdict, KeyVerdict::kRevoked);
  keys.Take(older);
  EXPECT_EQ(keys.Check(key->secret, "submit").verdict, KeyVerdict::kRevoked);
}

TEST_F(KeysTest, every_change_that_matters_has_an_epoch_of_its_own_and_a_use_has_none) {
  const auto epoch = [&] { return KeyStore(registry.pool).ReadEpoch().number; };
  const auto begin = epoch();
  const auto key = keys.Create("submit", {});
  EXPECT_EQ(epoch(), begin + 1);
  Use(key->secret, "submit");
  EXPECT_EQ(epoch(), begin + 1);
  test::Execute(registry.url, "UPDATE api_key SET scope = 'read'");  // changed by hand
  EXPECT_EQ(epoch(), begin + 2);
  EXPECT_EQ(Use(key->secret, "submit").verdict, KeyVerdict::kForbidden);
  ASSERT_TRUE(KeyStore(registry.pool).Revoke(key->record.id));
  EXPECT_EQ(epoch(), begin + 3);
  EXPECT_EQ(KeyStore(registry.pool).List().epoch.number, begin + 3);
  EXPECT_FALSE(KeyStore(registry.pool).Revoke(99));
}

// A dead connection receives no notification, so the server also polls.
TEST_F(KeysTest, without_any_notification_they_are_followed_and_a_new_one_is_awaited) {
  keys.Start();
  const auto key = keys.Create("submit", {});
  const auto made = Keys::Clock::now();
  while (keys.Awaits(made)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(keys.IsOf(made));
  EXPECT_EQ(keys.Check(key->secret, "submit").verdict, KeyVerdict::kGranted);
  ASSERT_TRUE(KeyStore(registry.pool).Revoke(key->record.id));
  // Without a notification only the poll finds this key.
  EXPECT_TRUE(test::Comes(
      [&] { return keys.Check(key->secret, "submit").verdict == KeyVerdict::kRevoked; }));
}

TEST_F(KeysTest, a_key_expires_at_its_time_whatever_the_offset_it_was_given_in) {
  const std::string past = QueryText(registry.url,
                                     "SELECT to_char(now() AT TIME ZONE 'UTC' + interval '119 "
                                     "minutes', 'YYYY-MM-DD\"T\"HH24:MI:SS')") +
                           "+02:00";
  const std::string future = QueryText(registry.url,
                                       "SELECT to_char(now() AT TIME ZONE 'UTC' - interval '118 "
                                       "minutes', 'YYYY-MM-DD\"T\"HH24:MI:SS')") +
                             "-02:00";
  EXPECT_EQ(Use(keys.Create("submit", past)->secret, "submit").verdict, KeyVerdict::kExpired)
      << past;
  EXPECT_EQ(Use(keys.Create("submit", future)->secret, "submit").verdict, KeyVerdict::kGranted)
      << future;
  EXPECT_EQ(Use(keys.Create("submit", "2999-12-31")->secret, "submit").verdict,
            KeyVerdict::kGranted);
}

// PostgreSQL reads 'infinity' and 'yesterday' as times.
TEST_F(KeysTest, an_expiry_that_is_no_time_is_refused) {
  for (const char* expires :
       {"", "soon", "infinity", "yesterday", "2026-02-30", "2026-13-01", "20260101", "12:00"}) {
    EXPECT_EQ(keys.Create("submit", expires).error().code, "bad_expires") << expires;
  }
}

TEST_F(KeysTest, its_last_use_is_noted) {
  const auto key = keys.Create("submit", {});
  Use(key->secret, "submit");
  const auto list = KeyStore(registry.pool).List().keys;
  ASSERT_EQ(list.size(), 1u);
  EXPECT_NE(list[0].last_used, "");
  EXPECT_EQ(list[0].hint, key->secret.substr(0, 9));
}

}  // namespace
}  // namespace tunehub::server
