// An error of a JSON text has its member's pointer beside the words.
#include "core/base/json_object.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tunehub::core {
namespace {

// Reads {"name": text, "shapes": [{"M": integer}]}.
Error ErrorOf(std::string_view text) {
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
  const Case cases[] = {{R"({"name":"a","shapes":[]})", "", ""},
                        {R"({"shapes":[]})", "a.json: /name: is missing", "/name"},
                        {R"({"name":"a","shapes":[{},{"M":"b"}]})",
                         "a.json: /shapes/1/M: must be an integer, not string", "/shapes/1/M"},
                        {R"({"name":"a","shapes":[{"M":1e999}]})",
                         "a.json: /shapes/0/M: 1e999 is out of range", "/shapes/0/M"},
                        {"1e999", "a.json: 1e999 is out of range", ""},
                        {R"({"name":"a","shapes":[],"m~/":1})",
                         "a.json: /m~0~1: is no member that this file may have", "/m~0~1"},
                        {R"({"name":"a","name":"b"})", "a.json: names the member name twice", ""}};
  using namespace std::string_view_literals;
  EXPECT_EQ(ErrorOf("{\"name\":\"a\",\"shapes\":[]}\0{"sv).detail,
            "a.json: is no JSON: byte 25 is a zero")
      << "the parser takes it for the end";
  for (const Case& it : cases) {
    const Error error = ErrorOf(it.text);
    EXPECT_EQ(error.detail, it.detail);
    EXPECT_EQ(error.code, error.detail.empty() ? "" : "bad_file");
    EXPECT_EQ(error.place, (ErrorPlace{.member = it.member})) << error.detail;
  }
}

}  // namespace
}  // namespace tunehub::core
