#include "server/keys/keys.h"

#include <gmock/gmock.h>

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
using testing::HasSubstr;

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
  ASSERT_TRUE(KeyStore(registry.pool).Revoke(key->record.id).ok());
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
  ASSERT_TRUE(KeyStore(registry.pool).Revoke(key->record.id).ok());
  EXPECT_EQ(epoch(), begin + 3);
  EXPECT_EQ(KeyStore(registry.pool).List().epoch.number, begin + 3);
  EXPECT_EQ(ErrorCode(KeyStore(registry.pool).Revoke(99)), "unknown_key");
}

// A dead connection receives no notification, so the server also polls.
TEST_F(KeysTest, without_any_notification_they_are_followed_and_a_new_one_is_awaited) {
  keys.Start();
  const auto key = keys.Create("submit", {});
  const auto made = Keys::Clock::now();
  while (keys.Awaits(made)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(keys.IsOf(made));
  EXPECT_EQ(keys.Check(key->secret, "submit").verdict, KeyVerdict::kGranted);
  ASSERT_TRUE(KeyStore(registry.pool).Revoke(key->record.id).ok());
  // Without a notification only the poll finds this key.
  EXPECT_TRUE(test::Comes(
      [&] { return keys.Check(key->secret, "submit").verdict == KeyVerdict::kRevoked; }));
}

TEST_F(KeysTest, a_key_expires_at_its_time_whatever_the_offset_and_a_past_time_is_refused) {
  const std::string past = QueryText(registry.url,
                                     "SELECT to_char(now() AT TIME ZONE 'UTC' + interval '119 "
                                     "minutes', 'YYYY-MM-DD\"T\"HH24:MI:SS')") +
                           "+02:00";
  const std::string future = QueryText(registry.url,
                                       "SELECT to_char(now() AT TIME ZONE 'UTC' - interval '118 "
                                       "minutes', 'YYYY-MM-DD\"T\"HH24:MI:SS')") +
                             "-02:00";
  EXPECT_THAT(keys.Create("submit", past).error().detail,
              HasSubstr("expires: '" + past + "' is in the past; it is now "));
  EXPECT_EQ(Use(keys.Create("submit", future)->secret, "submit").verdict, KeyVerdict::kGranted)
      << future;
  const std::string secret = keys.Create("submit", "2999-12-31")->secret;
  EXPECT_EQ(Use(secret, "submit").verdict, KeyVerdict::kGranted);
  test::Execute(registry.url, "UPDATE api_key SET expires = now()");
  EXPECT_EQ(Use(secret, "submit").verdict, KeyVerdict::kExpired);
}

// PostgreSQL reads 'infinity' and 'yesterday' as times.
TEST_F(KeysTest, an_expiry_that_is_no_time_is_refused) {
  for (const char* expires : {"", "soon", "infinity", "yesterday", "2096-02-30", "2096-13-01",
                              "20960101", "12:00", "2020-01-01"}) {
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

// The routes act for the holder of an admin key. A command has no key.
struct KeyChanges : KeysTest {
  Writer admin{.api_key = 77, .owner = "boss", .admin = true, .request = "r"};

  NewKey Admin() { return Must(keys.Create("admin", {})); }
  std::string Revoked(const NewKey& key) {
    return ErrorCode(KeyStore(registry.pool).Revoke(key.record.id, admin));
  }
};

TEST_F(KeyChanges, a_rotated_key_has_the_same_rights_and_the_old_one_ends_after_its_grace) {
  KeyRights rights{.owner = "ci", .limits = {{}, {}, {"nightly"}}};
  const auto old = Must(keys.Create("submit", "2999-12-31", rights));
  const auto fresh = Must(keys.Rotate(old.record.id, {}, 2, admin));
  EXPECT_NE(fresh.secret, old.secret);
  EXPECT_EQ(fresh.record.scope, "submit");
  EXPECT_EQ(fresh.record.owner, "ci");
  EXPECT_EQ(fresh.record.limits, rights.limits);
  EXPECT_EQ(fresh.record.expires, old.record.expires);
  EXPECT_EQ(Use(old.secret, "submit").verdict, KeyVerdict::kGranted);
  EXPECT_EQ(Use(fresh.secret, "submit").verdict, KeyVerdict::kGranted);
  EXPECT_EQ(QueryText(registry.url,
                      "SELECT expires - now() BETWEEN '119 min' AND '2 h' FROM api_key "
                      "WHERE id = 1 AND successor = 2"),
            "t");
  EXPECT_EQ(ErrorCode(keys.Rotate(old.record.id, {}, 0, admin)), "key_replaced");
  const auto third = Must(keys.Rotate(fresh.record.id, "2998-01-01", 0, admin));
  EXPECT_EQ(third.record.expires, "2998-01-01T00:00:00Z");
  EXPECT_EQ(Use(fresh.secret, "submit").verdict, KeyVerdict::kRevoked);
  EXPECT_EQ(ErrorCode(keys.Rotate(fresh.record.id, {}, 0, admin)), "key_ended");
  EXPECT_EQ(ErrorCode(keys.Rotate(third.record.id, "2020-01-01", 0, admin)), "bad_expires");
  EXPECT_EQ(ErrorCode(keys.Rotate(99, {}, 0, admin)), "unknown_key");
  EXPECT_EQ(
      QueryText(registry.url,
                "SELECT string_agg(concat_ws(' ', api_key, owner, action, detail, request), "
                "'; ' ORDER BY id) FROM audit WHERE action = 'key rotate'"),
      "77 boss key rotate key 1: submit of ci, limited to sources nightly, replaced by key 2 r; "
      "77 boss key rotate key 2: submit of ci, limited to sources nightly, replaced by key 3 r");
}

// A grace never prolongs a key.
TEST_F(KeyChanges, a_key_that_expires_earlier_than_its_grace_still_does) {
  const auto key = Must(keys.Create("read", "2999-12-31"));
  test::Execute(registry.url, "UPDATE api_key SET expires = now() + interval '1 minute'");
  Must(keys.Rotate(key.record.id, "2999-12-31", kMostGraceHours, admin));
  EXPECT_EQ(QueryText(registry.url,
                      "SELECT expires < now() + interval '2 min' FROM api_key WHERE id = 1"),
            "t");
}

TEST_F(KeyChanges, over_http_the_last_key_that_may_change_keys_cannot_end) {
  const NewKey one = Admin(), other = Admin();
  EXPECT_EQ(Revoked(other), "");
  EXPECT_EQ(Revoked(other), "key_ended");
  EXPECT_EQ(Revoked(one), "last_admin_key");
  EXPECT_EQ(ErrorCode(keys.Rotate(one.record.id, {}, 0, admin)), "last_admin_key");
  // A limited admin key cannot change keys, and an expired or replaced one will not for long.
  Must(keys.Create("admin", {}, {.limits = {{}, {}, {"nightly"}}}));
  test::Execute(registry.url, "UPDATE api_key SET expires = now() WHERE id = " +
                                  std::to_string(Admin().record.id));
  EXPECT_EQ(Revoked(one), "last_admin_key");
  const auto fresh = Must(keys.Rotate(one.record.id, {}, 1, admin));
  EXPECT_EQ(Revoked(fresh), "last_admin_key");
  EXPECT_EQ(Revoked(one), "");
  EXPECT_EQ(ErrorCode(KeyStore(registry.pool).Revoke(fresh.record.id)), "") << "a command may";
}

// Each of two admins revokes the other's key at the same time: one of them must fail.
TEST_F(KeyChanges, two_admins_at_once_do_not_end_both_keys) {
  for (int round = 0; round < 5; ++round) {
    const NewKey one = Admin(), other = Admin();
    std::string first, second;
    std::thread thread([&] { first = Revoked(one); });
    second = Revoked(other);
    thread.join();
    EXPECT_EQ(first + second, "last_admin_key");
    EXPECT_EQ(QueryText(registry.url, "SELECT count(*) FROM api_key WHERE revoked IS NULL"), "1");
    test::Execute(registry.url, "UPDATE api_key SET revoked = now()");
  }
}

TEST_F(KeyChanges, a_person_names_a_key_by_what_the_list_shows) {
  const auto key = Must(keys.Create("read", {})), other = Must(keys.Create("read", {}));
  EXPECT_EQ(Must(keys.Find("2")), 2);
  EXPECT_EQ(Must(keys.Find(key.record.hint)), 1);
  EXPECT_EQ(Must(keys.Find(other.secret)), 2);
  EXPECT_EQ(keys.Find("thub_none").error().detail,
            "no key 'thub_none'; type the id or the first characters that `key list` shows");
  test::Execute(registry.url, "UPDATE api_key SET hint = 'thub_same'");
  EXPECT_EQ(keys.Find("thub_same").error().detail,
            "several keys begin with 'thub_same'; type one of the ids 1, 2");
  const std::string wrong = "thub_" + std::string(32, 'q');
  EXPECT_EQ(keys.Find(wrong).error().detail.find(wrong), std::string::npos);
}

}  // namespace
}  // namespace tunehub::server
