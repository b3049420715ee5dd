#include "core/base/rfc3339.h"

#include <gtest/gtest.h>

namespace tunehub::core {
namespace {

TEST(Rfc3339, is_a_time_with_its_offset_that_postgresql_takes) {
  for (const char* good : {"2026-01-31T12:00:00Z", "2026-01-31t12:00:00.25+02:00",
                           "2024-02-29T23:59:60Z", "2026-12-31T00:00:00-11:30"}) {
    EXPECT_TRUE(IsRfc3339(good)) << good;
  }
  for (const char* bad :
       {"", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-02-30T12:00:00Z",
        "2026-13-01T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z", "now",
        "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00+0200", "2026-01-31T12:00:00Zulu",
        "0000-01-01T00:00:00Z", "2026-01-31T12:00:00+23:00"}) {
    EXPECT_FALSE(IsRfc3339(bad)) << bad;
  }
  EXPECT_FALSE(IsRfc3339("2026-01-31T12:00:00." + std::string(100, '1') + "Z"));
}

TEST(Rfc3339, is_one_moment_however_its_offset_is_written) {
  EXPECT_EQ(Rfc3339Microseconds("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(Rfc3339Microseconds("2026-01-31T13:00:00.25+01:00"), 1769860800250000);
  EXPECT_EQ(Rfc3339Microseconds("2026-01-31T00:30:00.2500009-11:30"), 1769860800250000);
  EXPECT_EQ(Rfc3339Microseconds("1969-12-31T23:59:59.9Z"), -100000);
}

TEST(Rfc3339, stays_within_the_years_of_four_digits_whatever_its_offset_or_leap_second_says) {
  EXPECT_EQ(Rfc3339Microseconds("9999-12-31T23:59:59.9Z"), 253402300799900000);
  EXPECT_EQ(Rfc3339Microseconds("0001-01-01T00:00:00Z"), -62135596800000000);
  EXPECT_TRUE(IsRfc3339("9999-12-31T23:59:60+00:01"));
  for (const char* beyond :
       {"9999-12-31T23:59:60Z", "9999-12-31T23:59:59-00:01", "0001-01-01T00:00:59+00:01"}) {
    EXPECT_FALSE(IsRfc3339(beyond)) << beyond;
  }
}

TEST(Rfc3339, writes_a_moment_that_it_reads) {
  const std::chrono::system_clock::time_point moment(std::chrono::microseconds(1769860800000250));
  EXPECT_EQ(UtcText(moment), "2026-01-31T12:00:00.000250Z");
  EXPECT_EQ(Rfc3339Microseconds(UtcText(moment)), 1769860800000250);
}

}  // namespace
}  // namespace tunehub::core
