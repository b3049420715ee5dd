#include "server/http/target.h"

#include <gtest/gtest.h>

namespace tunehub::http {
namespace {

// "/path name=value name=value", or "error: detail".
std::string Shown(std::string_view raw) {
  const auto target = ParseTarget(raw);
  if (!target) return "error: " + target.error().detail;
  std::string shown = target->path;
  for (const auto& [name, value] : target->query) shown.append(" " + name + "=" + value);
  return shown;
}

TEST(HttpTarget, is_a_path_and_parameters) {
  const std::pair<const char*, const char*> targets[] = {
      {"/tuned/a8w8%5fblockscale?gfx=gfx%39%34%32", "/tuned/a8w8_blockscale gfx=gfx942"},
      {"/a?b=%C3%A9", "/a b=\xC3\xA9"},
      {"/a+b?c=d+e%2B", "/a+b c=d e+"},  // a plus is a space in the query alone
      // Ampersands alone split the query, and what is escaped belongs to the value.
      {"/t?gfx=gfx942;gfx950&cu_num=304", "/t gfx=gfx942;gfx950 cu_num=304"},
      {"/t?a=%26b%3Dc=d", "/t a=&b=c=d"},
      {"/t?gfx=b&x=1&gfx=a&gfx=b", "/t gfx=b x=1 gfx=a gfx=b"},  // repeated names keep their order
      {"/t?&&flat&x=&", "/t flat= x="},
      {"/t?", "/t"},
      // Dots and double slashes are left to the router.
      {"/%2e%2e/%2E%2e/etc%2fpasswd", "/../../etc/passwd"},
      {"//json", "//json"},
      // The absolute form loses scheme and host.
      {"http://hub:8080/tuned?gfx=1", "/tuned gfx=1"},
      {"http://hub", "/"},
      {"http://hub?gfx=1", "/ gfx=1"}};
  for (const auto& [raw, shown] : targets) EXPECT_EQ(Shown(raw), shown) << raw;
}

TEST(HttpTarget, a_malformed_escape_is_an_error_with_its_position) {
  EXPECT_EQ(Shown("/tuned/%zz"), "error: malformed percent escape at byte 7 of the request target");
  EXPECT_EQ(Shown("/t?a=b&c=%4"),
            "error: malformed percent escape at byte 9 of the request target");
  EXPECT_EQ(Shown("/%"), "error: malformed percent escape at byte 1 of the request target");
}

TEST(HttpTarget, a_nul_is_an_error) {
  EXPECT_EQ(Shown("/a%00b"), "error: control character at byte 2 of the request target");
}

// What is cached or compared by a text that joins parameters must not find a separator in one.
TEST(HttpTarget, a_control_character_in_a_parameter_is_an_error_that_names_the_parameter) {
  EXPECT_EQ(Shown("/t?rocm=a%1FA%3Db"),
            "error: rocm: a control character at byte 9 of the request target");
  EXPECT_EQ(Shown("/t?a=b&source=%7F"),
            "error: source: a control character at byte 14 of the request target");
  EXPECT_EQ(Shown("/t?a=b&c%0Ad=1"),
            "error: the name 'c': a control character at byte 8 of the request target");
  EXPECT_EQ(ParseTarget("/t?a=%09").error().code, "bad_parameter");
  EXPECT_EQ(Shown("/runs/1%0A"), "error: control character at byte 7 of the request target");
}

TEST(HttpTarget, bytes_that_are_no_utf8_are_an_error) {
  for (const char* bad :
       {"/%ff", "/%c0%af", "/%ed%a0%80", "/%f5%80%80%80", "/%e2%82", "/t?a=%80"}) {
    EXPECT_FALSE(ParseTarget(bad)) << bad;
  }
}

TEST(HttpTarget, a_target_without_a_path_is_an_error) {
  for (const char* bad : {"", "*", "tuned", "?a=b", "hub:443", "/a#b"}) {
    EXPECT_FALSE(ParseTarget(bad)) << bad;
  }
}

}  // namespace
}  // namespace tunehub::http
