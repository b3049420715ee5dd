#include "core/readers/file_name.h"

#include <gmock/gmock.h>

#include "tests/support/readers.h"

namespace tunehub::core {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// "column=cell ..." of what the path says, without the columns that are at their default; or
// "code: detail".
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
    EXPECT_EQ(*again, path) << "a name comes back as it was";
  }
  return text;
}

TEST(FileName, vllm_writes_no_blank_and_leaves_out_what_is_not_there) {
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
}

TEST(FileName, the_int8_gemm_of_vllm_has_a_blank_and_the_fp8_one_has_none) {
  const std::string name = "N=512,K=7168,device_name=NVIDIA_L20,dtype=";
  EXPECT_EQ(Said("vllm", name + "fp8_w8a8,block_shape=[128,128].json"),
            "engine=vllm device=NVIDIA_L20 N=512 K=7168 dtype=fp8_w8a8 block_n=128 block_k=128");
  EXPECT_EQ(Said("vllm", name + "int8_w8a8,block_shape=[128, 128].json"),
            "engine=vllm device=NVIDIA_L20 N=512 K=7168 dtype=int8_w8a8 block_n=128 block_k=128");
  EXPECT_THAT(Said("vllm", name + "int8_w8a8,block_shape=[128,128].json"),
              StartsWith("unreachable_name: '" + name +
                         "int8_w8a8,block_shape=[128,128].json': the reader asks for '" + name +
                         "int8_w8a8,block_shape=[128, 128].json'"));
  EXPECT_THAT(Said("vllm", name + "fp8_w8a8,block_shape=[128, 128].json"),
              StartsWith("unreachable_name: "));
  EXPECT_EQ(Said("vllm", name + "fp8_w8a8_per_token,input_dtype=bf16,out_dtype=fp16.json"),
            "engine=vllm device=NVIDIA_L20 N=512 K=7168 dtype=fp8_w8a8_per_token input_dtype=bf16 "
            "out_dtype=fp16");
}

TEST(FileName, sglang_has_a_folder_per_triton_a_blank_and_flags) {
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

TEST(FileName, a_name_outside_the_grammar_is_refused_with_its_part_and_position) {
  EXPECT_EQ(Said("vllm", "E=8,N=x,device_name=a.json"),
            "bad_name: 'E=8,N=x,device_name=a.json': position 7: ',N={N}' is wanted, "
            "'x,device_name=a.json' stands there");
  EXPECT_EQ(Said("vllm", "E=08,N=4,device_name=a.json"),
            "bad_name: 'E=08,N=4,device_name=a.json': position 3: 'E={E}' is wanted, "
            "'08,N=4,device_name=a.json' stands there")
      << "nobody writes a zero before";
  EXPECT_THAT(Said("vllm", "E=8,N=4,device_name=a,dtype=fp8,foo=1.json"),
              HasSubstr("position 33: "));
  EXPECT_THAT(Said("vllm", "E=8,N=4,device_name=a,dtype=.json"), StartsWith("bad_name: "));
  EXPECT_THAT(Said("vllm", "E=8,N=4,device_name=a,block_shape=[0,128].json"),
              StartsWith("unreachable_name: "))
      << "vLLM names a block only where both parts are there";
  EXPECT_THAT(Said("sglang", "triton_3_4_0rc1/E=8,N=4,device_name=a.json"),
              HasSubstr("'triton_{triton:version}/' is wanted, 'rc1/E=8"));
  EXPECT_THAT(Said("sglang", "E=8,N=4,device_name=a.json"),
              HasSubstr("position 1: 'triton_{triton:version}/' is wanted"));
  EXPECT_EQ(Said("vllm", "readme.json"),
            "bad_name: 'readme.json': position 1: no file of vLLM's begins so");
}

TEST(FileName, a_blank_in_a_device_is_an_underscore) {
  EXPECT_THAT(Said("vllm", "E=8,N=4,device_name=NVIDIA H100,dtype=fp8_w8a8.json"),
              HasSubstr("asks for 'E=8,N=4,device_name=NVIDIA_H100,dtype=fp8_w8a8.json'"));
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
              HasSubstr("the reader asks for '" + folder + "DEFAULT.json'"));
}

TEST(FileName, sizes_with_names_of_their_own_stay_in_their_order) {
  const std::string op = "gemm/gfx950-FUSED-GEMM-A8W8_BLOCKSCALE-A16W16";
  const std::string said =
      "engine=aiter gfx=gfx950 layout=gemm op=FUSED-GEMM-A8W8_BLOCKSCALE-A16W16 ";
  EXPECT_EQ(Said("aiter", op + "-N8=512-N16=256-K=7168.json"),
            said + "K=7168 sizes=N8=512-N16=256");
  EXPECT_EQ(Said("aiter", op + "-K=7168-N=5.json"), said + "N=5 sizes=K=7168");
  EXPECT_THAT(Said("aiter", op + "-N=x.json"), StartsWith("bad_name: "));
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
            "'triton_{triton:version}/' cannot be written with triton 'unknown'");
  set("triton", "3.4.0");
  EXPECT_EQ(*PathOf(store, cells), "triton_3_4_0/E=8,N=4,device_name=a.json");
  set("backend", "flydsl");
  EXPECT_EQ(PathOf(store, cells).error().detail,
            "backend 'flydsl' has no place in a name of this reader's");
}

TEST(FileName, newer_states_of_vllm_ask_for_one_name_of_all_h200) {
  const Reader& vllm = test::ShippedReader("vllm");
  EXPECT_EQ(AskedDevice(vllm, "NVIDIA_H200_NVL"), "NVIDIA_H200");
  EXPECT_EQ(AskedDevice(vllm, "NVIDIA_GH200"), "NVIDIA_GH200");
  EXPECT_EQ(AskedDevice(test::ShippedReader("sglang"), "NVIDIA_H200_NVL"), "NVIDIA_H200_NVL");
}

}  // namespace
}  // namespace tunehub::core
