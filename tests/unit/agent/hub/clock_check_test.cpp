// What the Date of an answer tells of this host's clock.
#include <gmock/gmock.h>

#include "agent/hub/http_client.h"

namespace tunehub::agent {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::StartsWith;

// Sun, 06 Nov 1994 08:49:37 GMT
constexpr std::chrono::system_clock::time_point kNow{seconds(784111777)};

std::string Said(const std::string& date, seconds took = seconds(0)) {
  return ClockDifference({200, {{"date", date}}, ""}, kNow - took, kNow);
}

TEST(ClockCheck, says_which_clock_is_ahead_and_by_how_much) {
  EXPECT_THAT(Said("Sun, 06 Nov 1994 08:54:40 GMT"),
              StartsWith("this host's clock is 5 min behind the hub's: "));
  EXPECT_THAT(Said("Sun, 06 Nov 1994 06:44:37 GMT"),
              StartsWith("this host's clock is 2 h 5 min ahead of the hub's: "));
  EXPECT_THAT(Said("Fri, 31 Dec 9999 23:59:59 GMT"), StartsWith("this host's clock is "));
}

TEST(ClockCheck, a_minute_and_the_time_of_the_request_are_no_difference) {
  for (const char* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:50:37 GMT",
                           "Sun, 06 Nov 1994 08:48:37 GMT"}) {
    EXPECT_EQ(Said(date), "") << date;
  }
  EXPECT_NE(Said("Sun, 06 Nov 1994 08:50:38 GMT"), "");
  EXPECT_NE(Said("Sun, 06 Nov 1994 08:48:36 GMT"), "");
  EXPECT_EQ(Said("Sun, 06 Nov 1994 08:44:37 GMT", minutes(4)), "") << "a long upload or download";
}

TEST(ClockCheck, what_is_no_date_or_an_old_one_of_a_cache_tells_nothing) {
  for (const char* date :
       {"", "now", "1994-11-06T00:00:00Z", "Sun, 06 Nov 1994 00:00:00", "06 Nov 1994 00:00:00 GMT",
        "Sun, 06 Nov 1994 00:00:00 GMT!", "Sun, 99 Nov 1994 00:00:00 GMT", "0"}) {
    EXPECT_EQ(Said(date), "") << date;
  }
  const Answer cached{200, {{"date", "Sun, 06 Nov 1994 00:00:00 GMT"}, {"age", "31777"}}, ""};
  EXPECT_EQ(ClockDifference(cached, kNow, kNow), "");
  EXPECT_EQ(ClockDifference({}, kNow, kNow), "");
}

}  // namespace
}  // namespace tunehub::agent
