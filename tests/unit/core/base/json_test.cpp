// An error in a JSON text names the faulty member by its JSON pointer.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/read_json.h"

namespace tunehub::core {
namespace {

// Reads {"name": text, "shapes": [{"M": integer}]}. Returns the error.
Error JsonErrorOf(std::string_view text) {
  JsonErrors errors("a.json", "bad_file");
  const nlohmann::json json = ParseJson(text, errors);
  if (!errors.any()) {
    JsonObject object(json, "", errors);
    object.Text("name");
    for (JsonObject& shape : object.Objects("shapes")) shape.Integer("M", 0);
    object.Finish();
  }
  return errors.any() ? errors.first() : Error{};
}

TEST(JsonErrors, have_the_members_pointer) {
  struct Case {
    const char *text, *detail, *member;
  };
  const Case cases[] = {
      {R"({"name":"a","shapes":[]})", "", ""},
      {R"({"shapes":[]})", "a.json: /name: is missing", "/name"},
      {R"({"name":"a","shapes":[{},{"M":"b"}]})",
       "a.json: /shapes/1/M: must be an integer, but is string", "/shapes/1/M"},
      {R"({"name":"a","shapes":[{"M":1e999}]})", "a.json: /shapes/0/M: 1e999 is out of range",
       "/shapes/0/M"},
      {"1e999", "a.json: 1e999 is out of range", ""},
      {R"({"name":"a","shapes":[],"m~/":1})", "a.json: /m~0~1: is an unknown member", "/m~0~1"},
      {R"({"name":"a","name":"b"})", "a.json: has the member name twice", ""}};
  using namespace std::string_view_literals;
  EXPECT_EQ(JsonErrorOf("{\"name\":\"a\",\"shapes\":[]}\0{"sv).detail,
            "a.json: expected JSON, but byte 25 is a zero")
      << "the parser treats a zero byte as the end";
  for (const Case& it : cases) {
    const Error error = JsonErrorOf(it.text);
    EXPECT_EQ(error.detail, it.detail);
    EXPECT_EQ(error.code, error.detail.empty() ? "" : "bad_file");
    EXPECT_EQ(error.place, (ErrorPlace{.member = it.member})) << error.detail;
  }
}

std::string Deep(int brackets) {
  return std::string(brackets, '[') + std::string(brackets, ']');
}

TEST(ReadJson, what_nests_too_deep_holds_a_zero_or_is_wrong_is_no_document) {
  EXPECT_TRUE(ReadJson(Deep(kMostReadNesting)).is_array());
  EXPECT_TRUE(ReadJson(Deep(kMostReadNesting + 1)).is_discarded());
  EXPECT_TRUE(ReadJsonAs<nlohmann::ordered_json>(Deep(100000)).is_discarded());
  EXPECT_TRUE(ReadJson("{").is_discarded());
  EXPECT_EQ(ReadJson(R"({"b":1,"a":2})").dump(), R"({"a":2,"b":1})");
  EXPECT_EQ(ReadJsonAs<nlohmann::ordered_json>(R"({"b":1,"a":2})").dump(), R"({"b":1,"a":2})");
  EXPECT_EQ(SureJson("[1]").dump(), "[1]");
  EXPECT_THROW(SureJson("[1"), nlohmann::json::parse_error);
  try {
    SureJsonAs<nlohmann::ordered_json>(Deep(100000));
    FAIL();
  } catch (const nlohmann::json::parse_error& error) {
    EXPECT_NE(std::string(error.what()).find("more than 64 nested brackets"), std::string::npos);
  }
  // The parser stops at a zero byte and would ignore the rest.
  const std::string text = std::string("{\"note\":\"x\"}") + '\0' + "anything";
  EXPECT_TRUE(ReadJson(text).is_discarded());
  EXPECT_TRUE(ReadJson(std::string("[1]") + '\0').is_discarded());
  EXPECT_THROW(SureJson(text), nlohmann::json::parse_error);
}

}  // namespace
}  // namespace tunehub::core
