#include "server/doctor/report.h"

#include <gtest/gtest.h>

namespace tunehub::doctor {
namespace {

TEST(Report, the_exit_status_tells_what_is_wrong_from_what_was_not_seen) {
  Report report;
  EXPECT_EQ(report.exit_status(), 0);
  report.Begin("disk");
  report.CouldNotLook("it is closed");
  EXPECT_EQ(report.exit_status(), 2);
  EXPECT_EQ(report.Text().substr(0, 83),
            "disk: not looked at: it is closed\nnothing that could be looked at is wrong (whether");
  report.Begin("keys");
  report.Wrong("none is there", "make one");
  EXPECT_EQ(report.exit_status(), 1);
  EXPECT_EQ(report.Text().substr(0, 71),
            "keys: none is there: make one\ndisk: not looked at: it is closed\n1 thing");
}

TEST(Report, as_json_has_what_a_system_says_in_any_encoding) {
  Report report;
  report.Begin("database");
  report.Wrong("caf\xe9", "mend it");
  EXPECT_NE(report.Json().find("\"caf\xef\xbf\xbd\""), std::string::npos) << report.Json();
}

}  // namespace
}  // namespace tunehub::doctor
