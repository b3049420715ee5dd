#include "core/base/read_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tunehub::core {
namespace {

std::string Deep(int brackets) {
  return std::string(brackets, '[') + std::string(brackets, ']');
}

TEST(ReadJson, what_nests_too_deep_is_no_document) {
  EXPECT_TRUE(ReadJson(Deep(kMostReadNesting)).is_array());
  EXPECT_TRUE(ReadJson(Deep(kMostReadNesting + 1)).is_discarded());
  EXPECT_TRUE(ReadJsonAs<nlohmann::ordered_json>(Deep(100000)).is_discarded());
  EXPECT_TRUE(ReadJson("{").is_discarded());
  EXPECT_EQ(ReadJson(R"({"b":1,"a":2})").dump(), R"({"a":2,"b":1})");
  EXPECT_EQ(ReadJsonAs<nlohmann::ordered_json>(R"({"b":1,"a":2})").dump(), R"({"b":1,"a":2})");
}

TEST(ReadJson, of_what_must_be_json_it_says_what_is_wrong) {
  EXPECT_EQ(SureJson("[1]").dump(), "[1]");
  EXPECT_THROW(SureJson("[1"), nlohmann::json::parse_error);
  try {
    SureJsonAs<nlohmann::ordered_json>(Deep(100000));
    FAIL();
  } catch (const nlohmann::json::parse_error& error) {
    EXPECT_NE(std::string(error.what()).find("more than 64 brackets"), std::string::npos);
  }
}

// The parser took it for the end, and what was kept had something behind it.
TEST(ReadJson, what_holds_a_zero_is_no_document) {
  const std::string text = std::string("{\"note\":\"x\"}") + '\0' + "anything";
  EXPECT_TRUE(ReadJson(text).is_discarded());
  EXPECT_TRUE(ReadJson(std::string("[1]") + '\0').is_discarded());
  EXPECT_THROW(SureJson(text), nlohmann::json::parse_error);
}

}  // namespace
}  // namespace tunehub::core
