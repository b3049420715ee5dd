// The client's address behind trusted proxies, and that client's share of a limit.
#include "server/http/address.h"

#include <gtest/gtest.h>

#include "server/http/answer_budget.h"
#include "tests/support/result.h"

namespace tunehub::http {
namespace {

std::string Client(const std::string& trusted, const std::string& peer, const Fields& headers) {
  const auto proxies = TrustedProxies::Parse(trusted);
  if (!proxies.ok()) return proxies.error().detail;
  RequestHead head;
  head.headers = headers;
  return proxies->Trusts(peer) ? proxies->ClientOf(peer, head) : peer;
}

TEST(AddressTest, only_a_trusted_proxy_is_believed) {
  const Fields says = {{"x-forwarded-for", "198.51.100.7"}};
  EXPECT_EQ(Client("10.0.0.0/8", "10.1.2.3", says), "198.51.100.7");
  EXPECT_EQ(Client("10.0.0.0/8", "11.1.2.3", says), "11.1.2.3");
  EXPECT_EQ(Client("", "10.1.2.3", says), "10.1.2.3");
  EXPECT_EQ(Client("10.1.2.0/25", "10.1.2.128", says), "10.1.2.128");
  EXPECT_EQ(Client("::1, 10.1.2.3", "::ffff:10.1.2.3", says), "198.51.100.7");
  EXPECT_EQ(Client("::1", "::1", says), "198.51.100.7");
}

TEST(AddressTest, what_a_client_itself_wrote_before_its_proxy_is_not_believed) {
  const std::string proxies = "10.0.0.1, 10.0.0.2";
  EXPECT_EQ(Client(proxies, "10.0.0.1", {{"x-forwarded-for", "1.1.1.1, 198.51.100.7, 10.0.0.2"}}),
            "198.51.100.7");
  EXPECT_EQ(Client(proxies, "10.0.0.1",
                   {{"x-forwarded-for", "1.1.1.1"}, {"x-forwarded-for", "198.51.100.7:4711"}}),
            "198.51.100.7");
  EXPECT_EQ(Client(proxies, "10.0.0.1", {{"x-forwarded-for", "198.51.100.7, unknown"}}),
            "10.0.0.1");
  EXPECT_EQ(Client(proxies, "10.0.0.1", {{"forwarded", "for=198.51.100.7"}}), "10.0.0.1");
  EXPECT_EQ(Client(proxies, "10.0.0.1", {}), "10.0.0.1");
}

TEST(AddressTest, a_list_of_proxies_that_cannot_be_read_names_the_part) {
  for (const char* bad :
       {"10.0.0.0/33", "proxy", "10.0.0.1/", "10.0.0.1,", "::1/129", "1.2.3.4/x"}) {
    EXPECT_EQ(ErrorCode(TrustedProxies::Parse(bad)), "bad_proxies") << bad;
  }
}

TEST(AddressTest, limits_count_networks_of_ipv6) {
  EXPECT_EQ(NetworkOf("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(NetworkOf("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(NetworkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
}

TEST(SharesTest, a_client_has_a_part_of_what_the_others_leave) {
  Shares shares(100, 50);
  EXPECT_TRUE(shares.Take("a", 50));
  EXPECT_FALSE(shares.Take("a", 1));
  EXPECT_TRUE(shares.Take("b", 25));
  EXPECT_FALSE(shares.Take("b", 1));
  EXPECT_TRUE(shares.Take("", 20));
  EXPECT_FALSE(shares.Fits("c", 3));
  EXPECT_TRUE(shares.Take("c", 2));
  EXPECT_EQ(shares.Largest(), "a");
  shares.Return("a", 50);
  EXPECT_EQ(shares.HeldBy("a"), 0U);
  EXPECT_TRUE(shares.Take("b", 14));
  EXPECT_FALSE(shares.Take("b", 1));
  EXPECT_EQ(shares.total(), 61U);
}

}  // namespace
}  // namespace tunehub::http
