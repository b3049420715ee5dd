// How long a session can be resumed.
#include "server/tls/ticket_keys.h"

#include <gtest/gtest.h>

namespace tunehub::tls {
namespace {

TEST(TlsTicketKeys, a_key_makes_tickets_for_one_life_and_opens_them_for_another) {
  TicketKeys::Clock::time_point now{};
  TicketKeys keys([&] { return now; });
  const TicketKey first = keys.Current();
  now += TicketKeys::kLife - std::chrono::seconds(1);
  EXPECT_EQ(keys.Current().name, first.name);
  EXPECT_TRUE(keys.Find(first.name.data())->current);
  now += std::chrono::seconds(1);
  const TicketKey second = keys.Current();
  EXPECT_NE(second.name, first.name);
  EXPECT_NE(second.cipher, first.cipher);
  EXPECT_NE(second.mac, first.mac);
  const auto old = keys.Find(first.name.data());
  ASSERT_TRUE(old);
  EXPECT_FALSE(old->current);
  EXPECT_EQ(old->key.cipher, first.cipher);
  now += TicketKeys::kLife;
  EXPECT_FALSE(keys.Find(first.name.data()));
  EXPECT_TRUE(keys.Find(second.name.data()));
}

TEST(TlsTicketKeys, a_silence_of_two_lives_leaves_no_key) {
  TicketKeys::Clock::time_point now{};
  TicketKeys keys([&] { return now; });
  const TicketKey first = keys.Current();
  now += 2 * TicketKeys::kLife;
  EXPECT_FALSE(keys.Find(first.name.data()));
}

}  // namespace
}  // namespace tunehub::tls
