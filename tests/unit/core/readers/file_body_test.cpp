#include "core/readers/file_body.h"

#include <gtest/gtest.h>

#include "tests/support/readers.h"

namespace tunehub::core {
namespace {

const ReaderStore& Moe(const char* reader = "vllm") {
  return test::ShippedReader(reader).stores[0];
}

// "M=config ..." and, behind a bar, the issues: "member code", with ! where it is kept aside; or
// "code: detail".
std::string Told(const ReaderStore& store, const std::string& bytes, const char* op = "") {
  const auto body = ReadBody(store, bytes, op);
  if (!body.ok()) return body.error().code + ": " + body.error().detail;
  std::string text;
  for (const BodyMember& member : body->members) {
    text += member.name + "=" + member.config;
    if (member.place) text += "@" + std::to_string(*member.place);
    text += " ";
  }
  if (!body->made_with.empty()) text += body->made_with + " ";
  for (const BodyIssue& issue : body->issues) {
    text += "| " + issue.member + " " + issue.code + (issue.aside ? "!" : "") + " ";
  }
  return text.substr(0, text.size() - 1);
}

TEST(FileBody, every_field_stays_as_it_came) {
  EXPECT_EQ(Told(Moe(), "{\n \"1\": {\"b\": 1.0, \"a\": [1, 2]},\r\n \"16\": {}}"),
            "1={\"b\":1.0,\"a\":[1,2]} 16={}");
  EXPECT_EQ(Told(Moe(), R"({"16": {"x": 1}, "1": {"x": 2}})"), "16={\"x\":1}@0 1={\"x\":2}@1")
      << "a tie goes to the first";
}

TEST(FileBody, what_comes_twice_is_read_as_python_reads_it) {
  EXPECT_EQ(Told(Moe(), R"({"8": {"x": 1}, "4": {"x": 2}, "8": {"x": 3}})"),
            "8={\"x\":3}@0 4={\"x\":2}@1 | 8 duplicate_member!");
  EXPECT_EQ(Told(Moe(), R"({"4": {"x": 1}, "08": {"x": 2}, "8": {"x": 3}})"),
            "4={\"x\":1} 8={\"x\":3} | 08 odd_m | 8 duplicate_member!");
  EXPECT_EQ(Told(Moe(), R"({"4": {"x": 1, "y": 2, "x": 3}})"),
            "4={\"x\":3,\"y\":2} | 4 twice_in_config");
}

// Reading an object in an object in an object ... recurses: it must not end the stack.
TEST(FileBody, what_nests_without_end_is_no_config) {
  const auto nested = [](std::size_t levels) {
    std::string text = R"({"4": )";
    for (std::size_t i = 0; i < levels; ++i) text += R"({"a":)";
    return text + "1" + std::string(levels, '}') + "}";
  };
  EXPECT_TRUE(Told(Moe(), nested(8)).starts_with("4={"));
  EXPECT_EQ(Told(Moe(), nested(50'000)), "no_json: more than 32 brackets stand within each other");
}

TEST(FileBody, a_key_that_raises_refuses_the_whole_file) {
  EXPECT_EQ(Told(Moe(), R"({"4": {}, "any": {}})"),
            "bad_m: member 'any' is no integer: the engine raises for the whole file");
  EXPECT_EQ(Told(Moe(), R"({"4": {}, "-3": {}})"),
            "bad_m: member '-3' is not within 0..2147483647");
  EXPECT_EQ(Told(Moe(), R"({" 1_0 ": {"x": 1}})"), "10={\"x\":1} |  1_0  odd_m");
  EXPECT_EQ(Told(Moe("sglang"), R"({"triton_version": "3.4.0", "4": {}})"),
            "file_member: member 'triton_version': SGLang raises on it");
  EXPECT_EQ(Told(Moe(), R"({"triton_version": "3.4.0", "4": {}})"),
            "4={} triton=3.4.0 | triton_version file_member");
}

TEST(FileBody, what_is_no_object_is_said) {
  EXPECT_EQ(
      Told(Moe(), "{\"4\": {}"),
      "no_json: line 1, column 9: syntax error while parsing object - unexpected end of input; "
      "expected '}'");
  EXPECT_EQ(Told(Moe(), "[]"), "not_an_object: '[]' is no JSON object");
  EXPECT_EQ(Told(Moe(), R"({"4": null, "8": {"x": 1}})"), "8={\"x\":1} | 4 not_an_object!");
  EXPECT_EQ(Told(Moe(), " { } "), "={} |  empty_object");
}

TEST(FileBody, a_bucket_that_no_lookup_asks_for_is_kept_aside) {
  const ReaderStore& gemm = Moe("aiter");
  const std::string bytes =
      R"({"_note": "x", "M_LEQ_31": {"x": 1}, "M_LEQ_016": {"x": 2}, "any": {"x": 3}})";
  EXPECT_EQ(Told(gemm, bytes, "GEMM-A16W16"),
            "any={\"x\":3} | _note unknown_member! | M_LEQ_31 never_selected! | M_LEQ_016 "
            "unknown_member!");
  EXPECT_EQ(Told(gemm, bytes, "GEMM-AFP4WFP4_PRESHUFFLED"),
            "M_LEQ_31={\"x\":1} any={\"x\":3} | _note unknown_member! | M_LEQ_016 unknown_member!")
      << "its kernel passes bounds of its own";
}

TEST(FileBody, is_written_as_the_engines_tuners_write_it) {
  EXPECT_EQ(
      WriteBody(Moe(), {{"16", R"({"a":1,"b":[1,{}]})", {}}, {"2", "{}", {}}}),
      "{\n    \"2\": {},\n    \"16\": {\n        \"a\": 1,\n        \"b\": [\n            1,\n"
      "            {}\n        ]\n    }\n}\n");
  EXPECT_EQ(WriteBody(Moe(), {{"16", "{}", 0}, {"2", "{}", 1}}),
            "{\n    \"16\": {},\n    \"2\": {}\n}\n");
  EXPECT_EQ(WriteBody(Moe(), {{"16", "{}", 0}, {"2", "{}", {}}}),
            "{\n    \"2\": {},\n    \"16\": {}\n}\n")
      << "a member from elsewhere has no place";
  EXPECT_EQ(WriteBody(Moe(), {{"", "{}", {}}}), "{}\n");
  EXPECT_EQ(WriteBody(Moe("aiter"), {{"M_LEQ_2", "{}", {}, "x"}}), "{\n    \"M_LEQ_2\": {}\n}\n");
  EXPECT_EQ(
      WriteBody(Moe("aiter"), {{"any", "{}", {}}, {"M_GEQ_4096", "{}", {}}, {"M_LEQ_8", "{}", {}}}),
      "{\n    \"M_LEQ_8\": {},\n    \"M_GEQ_4096\": {},\n    \"any\": {}\n}\n");
}

TEST(PythonInt, takes_what_python_takes) {
  EXPECT_EQ(PythonInt("+1_000\n"), 1000);
  EXPECT_EQ(PythonInt("-0"), 0);
  for (const char* text : {"", "1__0", "_1", "1_", "1.0", "0x1", "1 0", "+-1"}) {
    EXPECT_EQ(PythonInt(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tunehub::core
