#include "core/readers/file_name.h"

#include <gmock/gmock.h>

#include "core/readers/file_body.h"
#include "tests/support/readers.h"

namespace tunehub::core {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Returns the path's shape key as "column=cell ...", without columns at their default, or "code:
// detail".
std::string Said(const char* reader, const std::string& path) {
  const auto parsed = ParsePath(test::ShippedReader(reader), path);
  if (!parsed.ok()) return parsed.error().code + ": " + parsed.error().detail;
  std::string text;
  const Family& family = *parsed->store->family;
  for (const std::size_t i : family.key_columns) {
    const std::string& cell = parsed->cells[i];
    if (cell.empty() || cell == "0") continue;
    text += (text.empty() ? "" : " ") + family.columns[i].name + "=" + cell;
  }
  const auto again = PathOf(*parsed->store, parsed->cells);
  EXPECT_TRUE(again.ok()) << path;
  if (again.ok()) {
    EXPECT_EQ(*again, path) << "the written name equals the read name";
  }
  return text;
}

TEST(FileName, vllm_and_sglang_write_theirs_each_in_its_way) {
  EXPECT_EQ(Said("vllm", "E=8,N=7168,device_name=NVIDIA_H200.json"),
            "engine=vllm device=NVIDIA_H200 E=8 N=7168");
  EXPECT_EQ(Said("vllm",
                 "E=8,N=7168,device_name=AMD_Instinct_MI300X,dtype=fp8_w8a8,"
                 "block_shape=[128,64].json"),
            "engine=vllm device=AMD_Instinct_MI300X E=8 N=7168 dtype=fp8_w8a8 block_n=128 "
            "block_k=64");
  EXPECT_EQ(Said("vllm", "E=8,N=7168,device_name=0x75b0,dtype=int4_w4a16,backend=flydsl.json"),
            "engine=vllm device=0x75b0 E=8 N=7168 dtype=int4_w4a16 backend=flydsl");
  EXPECT_EQ(Said("vllm", "E=8,N=7168,device_name=,dtype=int4_w4a16.json"),
            "engine=vllm E=8 N=7168 dtype=int4_w4a16");
  const std::string name = "triton_3_4_0/E=257,N=256,device_name=NVIDIA_H20";
  EXPECT_EQ(Said("sglang", name + ",dtype=fp8_w8a8,block_shape=[128, 128]_down.json"),
            "engine=sglang device=NVIDIA_H20 triton=3.4.0 E=257 N=256 dtype=fp8_w8a8 block_n=128 "
            "block_k=128 down=1");
  EXPECT_EQ(Said("sglang", name + "-3e,per_channel_quant=True.json"),
            "engine=sglang device=NVIDIA_H20-3e triton=3.4.0 E=257 N=256 per_channel_quant=1");
  EXPECT_EQ(Said("sglang", "triton_3_4_0/E=384,N=128,device_name=,dtype=int4_w4a16_down.json"),
            "engine=sglang triton=3.4.0 E=384 N=128 dtype=int4_w4a16 down=1");
  EXPECT_THAT(Said("sglang", name + ",block_shape=[128,128].json"),
              StartsWith("unreachable_name: "));
}

TEST(FileName, the_int8_gemm_of_vllm_has_a_blank_and_the_fp8_one_has_none) {
  const std::string name = "N=512,K=7168,device_name=NVIDIA_L20,dtype=";
  EXPECT_EQ(Said("vllm", name + "fp8_w8a8,block_shape=[128,128].json"),
            "engine=vllm device=NVIDIA_L20 N=512 K=7168 dtype=fp8_w8a8 block_n=128 block_k=128");
  EXPECT_EQ(Said("vllm", name + "int8_w8a8,block_shape=[128, 128].json"),
            "engine=vllm device=NVIDIA_L20 N=512 K=7168 dtype=int8_w8a8 block_n=128 block_k=128");
  EXPECT_THAT(Said("vllm", name + "int8_w8a8,block_shape=[128,128].json"),
              StartsWith("unreachable_name: '" + name +
                         "int8_w8a8,block_shape=[128,128].json': the engine searches for '" + name +
                         "int8_w8a8,block_shape=[128, 128].json'"));
  EXPECT_THAT(Said("vllm", name + "fp8_w8a8,block_shape=[128, 128].json"),
              StartsWith("unreachable_name: "));
  EXPECT_EQ(Said("vllm", name + "fp8_w8a8_per_token,input_dtype=bf16,out_dtype=fp16.json"),
            "engine=vllm device=NVIDIA_L20 N=512 K=7168 dtype=fp8_w8a8_per_token input_dtype=bf16 "
            "out_dtype=fp16");
}

TEST(FileName, a_name_outside_the_grammar_is_refused_with_its_part_and_position) {
  EXPECT_EQ(Said("vllm", "E=8,N=x,device_name=a.json"),
            "bad_name: 'E=8,N=x,device_name=a.json': position 7: expected ',N={N}', "
            "found 'x,device_name=a.json'");
  EXPECT_EQ(Said("vllm", "E=08,N=4,device_name=a.json"),
            "bad_name: 'E=08,N=4,device_name=a.json': position 3: expected 'E={E}', "
            "found '08,N=4,device_name=a.json'")
      << "no engine writes a leading zero";
  EXPECT_THAT(Said("vllm", "E=8,N=4,device_name=a,dtype=fp8,foo=1.json"),
              HasSubstr("position 33: "));
  EXPECT_THAT(Said("vllm", "E=8,N=4,device_name=a,dtype=.json"), StartsWith("bad_name: "));
  EXPECT_THAT(Said("vllm", "E=8,N=4,device_name=a,block_shape=[0,128].json"),
              StartsWith("unreachable_name: "))
      << "vLLM names a block only if both parts exist";
  EXPECT_THAT(Said("sglang", "triton_3_4_0rc1/E=8,N=4,device_name=a.json"),
              HasSubstr("expected 'triton_{triton:version}/', found 'rc1/E=8"));
  EXPECT_THAT(Said("sglang", "E=8,N=4,device_name=a.json"),
              HasSubstr("position 1: expected 'triton_{triton:version}/'"));
  EXPECT_EQ(Said("vllm", "readme.json"),
            "bad_name: 'readme.json': position 1: no file name of vLLM begins like this");
}

TEST(FileName, blanks_and_sizes_are_as_each_engine_writes_them) {
  EXPECT_THAT(Said("vllm", "E=8,N=4,device_name=NVIDIA H100,dtype=fp8_w8a8.json"),
              HasSubstr("searches for 'E=8,N=4,device_name=NVIDIA_H100,dtype=fp8_w8a8.json'"));
  const std::string op = "gemm/gfx950-FUSED-GEMM-A8W8_BLOCKSCALE-A16W16";
  const std::string said =
      "engine=aiter gfx=gfx950 layout=gemm op=FUSED-GEMM-A8W8_BLOCKSCALE-A16W16 ";
  EXPECT_EQ(Said("aiter", op + "-N8=512-N16=256-K=7168.json"),
            said + "K=7168 sizes=N8=512-N16=256");
  EXPECT_EQ(Said("aiter", op + "-K=7168-N=5.json"), said + "N=5 sizes=K=7168");
  EXPECT_THAT(Said("aiter", op + "-N=x.json"), StartsWith("bad_name: "));
  const Reader& vllm = test::ShippedReader("vllm");
  EXPECT_EQ(AskedDevice(vllm, "NVIDIA_H200_NVL"), "NVIDIA_H200");
  EXPECT_EQ(AskedDevice(vllm, "NVIDIA_GH200"), "NVIDIA_GH200");
  EXPECT_EQ(AskedDevice(test::ShippedReader("sglang"), "NVIDIA_H200_NVL"), "NVIDIA_H200_NVL");
}

TEST(FileName, aiter_has_three_layouts) {
  EXPECT_EQ(Said("aiter", "gemm/gfx942-GEMM-A8W8_BLOCKSCALE.json"),
            "engine=aiter gfx=gfx942 layout=gemm op=GEMM-A8W8_BLOCKSCALE");
  EXPECT_EQ(Said("aiter", "gemm/gluon/gfx1250-BATCHED_GEMM-A16W16-B=16-N=1024-K=4096.json"),
            "engine=aiter gfx=gfx1250 layout=gemm/gluon op=BATCHED_GEMM-A16W16 B=16 N=1024 K=4096");
  EXPECT_EQ(Said("aiter", "gemm/gfx950-FF-A16W16-fused.json"),
            "engine=aiter gfx=gfx950 layout=gemm op=FF-A16W16-fused");
  const std::string folder = "gfx950/triton/gemm/gemm_afp4wfp4_preshuffled/";
  EXPECT_EQ(Said("aiter", folder + "DEFAULT.json"),
            "engine=aiter gfx=gfx950 layout=triton/gemm op=GEMM-AFP4WFP4_PRESHUFFLED");
  EXPECT_EQ(
      Said("aiter", folder + "GEMM-AFP4WFP4_PRESHUFFLED-N=8192-K=1024.json"),
      "engine=aiter gfx=gfx950 layout=triton/gemm op=GEMM-AFP4WFP4_PRESHUFFLED N=8192 K=1024");
  EXPECT_THAT(Said("aiter", folder + "GEMM-A8W8-N=8192-K=1024.json"), StartsWith("bad_name: "))
      << "a kernel's file in another kernel's folder";
  EXPECT_THAT(Said("aiter", folder + "GEMM-AFP4WFP4_PRESHUFFLED.json"),
              HasSubstr("the engine searches for '" + folder + "DEFAULT.json'"));
}

TEST(FileName, a_row_that_no_lookup_asks_for_has_no_name) {
  const ReaderStore& store = test::ShippedReader("sglang").stores[0];
  KeyCells cells(store.family->columns.size());
  const auto set = [&](const char* column, const char* cell) {
    cells[store.family->Find(column)] = cell;
  };
  for (const char* flag : {"block_n", "block_k", "per_channel_quant", "down"}) set(flag, "0");
  set("E", "8");
  set("N", "4");
  set("device", "a");
  set("triton", "unknown");
  EXPECT_EQ(PathOf(store, cells).error().detail,
            "the name's part 'triton_{triton:version}/' cannot contain triton 'unknown'");
  set("triton", "3.4.0");
  EXPECT_EQ(*PathOf(store, cells), "triton_3_4_0/E=8,N=4,device_name=a.json");
  set("backend", "flydsl");
  EXPECT_EQ(PathOf(store, cells).error().detail,
            "a file name of this engine cannot contain backend 'flydsl'");
}

const ReaderStore& Moe(const char* reader = "vllm") {
  return test::ShippedReader(reader).stores[0];
}

// Returns the members as "M=config ...", a bar, and the issues as "member code", with ! if the
// reader leaves the member out. On an error, returns "code: detail".
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

TEST(FileBody, every_field_stays_as_it_came_and_what_comes_twice_is_read_as_python_does) {
  EXPECT_EQ(Told(Moe(), "{\n \"1\": {\"b\": 1.0, \"a\": [1, 2]},\r\n \"16\": {}}"),
            "1={\"b\":1.0,\"a\":[1,2]} 16={}");
  EXPECT_EQ(Told(Moe(), R"({"16": {"x": 1}, "1": {"x": 2}})"), "16={\"x\":1}@0 1={\"x\":2}@1")
      << "of two equal distances, the first member wins";
  EXPECT_EQ(Told(Moe(), R"({"8": {"x": 1}, "4": {"x": 2}, "8": {"x": 3}})"),
            "8={\"x\":3}@0 4={\"x\":2}@1 | 8 duplicate_member!");
  EXPECT_EQ(Told(Moe(), R"({"4": {"x": 1}, "08": {"x": 2}, "8": {"x": 3}})"),
            "4={\"x\":1} 8={\"x\":3} | 08 odd_m | 8 duplicate_member!");
  EXPECT_EQ(Told(Moe(), R"({"4": {"x": 1, "y": 2, "x": 3}})"),
            "4={\"x\":3,\"y\":2} | 4 twice_in_config");
}

TEST(FileBody, what_is_no_config_is_said) {
  // The reader recurses into nested objects, so deep nesting must not overflow the stack.
  const auto nested = [](std::size_t levels) {
    std::string text = R"({"4": )";
    for (std::size_t i = 0; i < levels; ++i) text += R"({"a":)";
    return text + "1" + std::string(levels, '}') + "}";
  };
  EXPECT_TRUE(Told(Moe(), nested(8)).starts_with("4={"));
  EXPECT_EQ(Told(Moe(), nested(50'000)), "no_json: more than 32 nested brackets");
  EXPECT_EQ(
      Told(Moe(), R"({"4": {}, "any": {}})"),
      "bad_m: member 'any': expected an integer; the engine raises an error for the whole file");
  EXPECT_EQ(Told(Moe(), R"({"4": {}, "-3": {}})"),
            "bad_m: member '-3': expected a number from 0 to 2147483647");
  EXPECT_EQ(Told(Moe(), R"({" 1_0 ": {"x": 1}})"), "10={\"x\":1} |  1_0  odd_m");
  EXPECT_EQ(Told(Moe("sglang"), R"({"triton_version": "3.4.0", "4": {}})"),
            "file_member: member 'triton_version': SGLang raises on it");
  EXPECT_EQ(Told(Moe(), R"({"triton_version": "3.4.0", "4": {}})"),
            "4={} triton=3.4.0 | triton_version file_member");
  EXPECT_EQ(
      Told(Moe(), "{\"4\": {}"),
      "no_json: line 1, column 9: syntax error while parsing object - unexpected end of input; "
      "expected '}'");
  EXPECT_EQ(Told(Moe(), "[]"), "not_an_object: '[]': expected a JSON object");
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
      << "this op's kernel passes its own bounds";
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
      << "a member of another file has no place";
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
