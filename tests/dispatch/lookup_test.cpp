// Tables, layers and lookups through the C API.
#include <thread>
#include <vector>

#include "tests/dispatch/c_api.h"
#include "tests/dispatch/support.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

std::string Row(int m, const std::string& kernel, const std::string& us = "20.5") {
  return "gfx942,304," + std::to_string(m) + ",2048,3072,ck,8,2," + us + "," + kernel +
         ",2.61,1304.22,0.0\n";
}
const th_shape kShape = {0, 2048, 3072, nullptr};

std::string OpenTold(const std::string& csv, const char* family) {
  th_table* table = nullptr;
  const std::string told = Told(th_open_text(csv.data(), csv.size(), family, nullptr, &table));
  EXPECT_EQ(table == nullptr, told != "0") << "a failed call must not change its outputs";
  th_close(table);
  return told;
}

std::string LayerTold(const ApiTable& table, const char* gfx, int cu_num, const th_shape& shape) {
  th_layer* layer = nullptr;
  const std::string told = Told(th_layer_open(table.get(), gfx, cu_num, &shape, &layer));
  EXPECT_EQ(layer == nullptr, told != "0");
  th_layer_close(layer);
  return told;
}

TEST(DispatchApi, is_pure_c) {
  EXPECT_EQ(th_test_from_c(), 0) << "this is the line of tests/dispatch/c_api.c that failed";
}

TEST(DispatchApi, reads_a_file) {
  const TempDir dir;
  const std::string path = dir.Write("tuned.csv", kBlockscaleHeader + Row(16, "k"));
  th_table* table = nullptr;
  ASSERT_EQ(Told(th_open(path.c_str(), "a8w8_blockscale", nullptr, &table)), "0");
  const ApiTable owned(table);
  th_table_info info{};
  ASSERT_EQ(th_info(table, &info), TH_OK);
  EXPECT_STREQ(info.family, "a8w8_blockscale");
  EXPECT_EQ(info.rows, 1U);
}

TEST(DispatchApi, a_family_of_a_folder_needs_no_new_library) {
  const TempDir dir;
  std::string text = ReadText(ShippedFamilyFolder() / "a8w8_blockscale.json");
  const std::string old_name = "\"name\": \"a8w8_blockscale\"";
  text.replace(text.find(old_name), old_name.size(), "\"name\": \"mine\"");
  dir.Write("mine.json", text);
  const std::string csv = kBlockscaleHeader + Row(16, "k");
  EXPECT_EQ(OpenTold(csv, "mine").substr(0, 39), "3 unknown_family: unknown family 'mine'");
  th_table* table = nullptr;
  ASSERT_EQ(Told(th_open_text(csv.data(), csv.size(), "mine", dir.path().c_str(), &table)), "0");
  th_close(table);
  EXPECT_EQ(
      Told(th_open_text(csv.data(), csv.size(), "mine", "/nonexistent", &table)).substr(0, 14),
      "3 bad_family: ");
}

TEST(DispatchApi, carries_the_families_of_the_repository) {
  for (const auto& family : AiterFamilies()) {
    th_table* table = nullptr;
    EXPECT_EQ(Told(th_open(nullptr, family->name.c_str(), nullptr, &table)), "0");
    th_table_info info{};
    EXPECT_EQ(th_info(table, &info), TH_OK);
    EXPECT_EQ(info.family, family->name);
    EXPECT_EQ(info.rows, 0U);
    th_close(table);
  }
}

TEST(DispatchApi, says_what_is_wrong_with_a_table) {
  th_table* table = nullptr;
  EXPECT_EQ(Told(th_open("/nonexistent/t.csv", "a8w8", nullptr, &table)),
            "2 not_read: /nonexistent/t.csv: No such file or directory");
  EXPECT_EQ(Told(th_open("/tmp", "a8w8", nullptr, &table)),
            "2 not_read: /tmp: is a folder; expected a file");
  EXPECT_EQ(Told(th_open(nullptr, nullptr, nullptr, &table)),
            "1 null_argument: family is a null pointer");
  EXPECT_EQ(Told(th_open_text(nullptr, 0, "a8w8", nullptr, &table)),
            "1 null_argument: csv is a null pointer");
  EXPECT_EQ(Told(th_open_text("", 0, "a8w8", nullptr, nullptr)),
            "1 null_argument: table is a null pointer");
  EXPECT_EQ(OpenTold("", "a8w8_blockscale").substr(0, 14), "4 empty_table:");
  EXPECT_EQ(OpenTold("M,N\n1,2\n", "a8w8_blockscale").substr(0, 17), "4 missing_column:");
  EXPECT_EQ(OpenTold("what,is,this\n", "a8w8").substr(0, 17), "4 missing_column:");
  EXPECT_EQ(table, nullptr);
}

TEST(DispatchApi, rows_that_no_lookup_finds_are_counted_with_a_reason) {
  const auto table = OpenText(kBlockscaleHeader + Row(16, "k") +
                                  "gfx942,304,zero,2048,3072,ck,8,2,1.0,k,0,0,0.0\n" +
                                  "gfx942,304,32,2048,3072,ck,8,2,99.0,k,0,0,0.9\n",
                              "a8w8_blockscale");
  th_table_info info{};
  ASSERT_EQ(th_info(table.get(), &info), TH_OK);
  EXPECT_EQ(info.rows, 1U);
  EXPECT_EQ(info.left_out, 2U);
  EXPECT_EQ(std::string(info.why).substr(0, 11), "line 3: M: ") << info.why;
}

TEST(DispatchApi, says_what_is_wrong_with_a_layer) {
  const auto table = OpenText(kBlockscaleHeader + Row(16, "k"), "a8w8_blockscale");
  EXPECT_EQ(LayerTold(table, "gfx942", 0, kShape), "0");
  EXPECT_EQ(LayerTold(table, "GFX 942", 0, kShape).substr(0, 56),
            "5 bad_gfx: 'GFX 942': expected a GPU's product such as M");
  EXPECT_EQ(LayerTold(table, "gfx943", 0, kShape),
            "5 bad_gfx: no known GPU has the architecture gfx943; did you mean gfx942? For a new "
            "GPU, also give its CU count");
  EXPECT_EQ(
      LayerTold(table, "gfx90a", 0, kShape),
      "5 bad_cu_num: gfx90a: GPUs of this architecture have different CU counts. Add the CU count, "
      "or name a product, such as MI250X");
  EXPECT_EQ(LayerTold(table, "gfx942", 5000, kShape),
            "5 bad_cu_num: 5000: expected a CU count from 1 to 4096");
  EXPECT_EQ(LayerTold(table, "gfx942", 0, {0, 2048, 0, nullptr}),
            "5 missing_column: K: the column 'K' of a8w8_blockscale is missing");
  EXPECT_EQ(LayerTold(table, "gfx942", 0, {0, -1, 3072, nullptr}).substr(0, 18),
            "5 out_of_range: N:");
  EXPECT_EQ(LayerTold(table, "gfx942", 0, {2, 2048, 3072, nullptr}),
            "5 bad_shape: batch is 2, but a8w8_blockscale has no such dimension");
  EXPECT_EQ(LayerTold(table, "gfx942", 0, {0, 2048, 3072, "bias"}),
            "5 bad_shape: 'bias': expected COLUMN=VALUE");
  EXPECT_EQ(LayerTold(table, "gfx942", 0, {0, 2048, 3072, "bias=True"}).substr(0, 23),
            "5 unknown_column: bias:");
  EXPECT_EQ(LayerTold(table, "gfx942", 0, {0, 2048, 3072, "M=4"}),
            "5 duplicate_column: M: the column 'M' occurs twice");
}

TEST(DispatchApi, a_column_with_a_default_may_be_left_out_and_another_may_not) {
  const auto a8w8 = OpenText(
      "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "gfx942,304,16,2048,3072,torch.int8,1,0,20.5,i8,0,0,0.0\n"
      "gfx942,304,16,2048,3072,torch.float8_e4m3fnuz,1,0,20.5,f8,0,0,0.0\n",
      "a8w8");
  const auto kernel = [&](const char* columns) {
    const auto layer = OpenLayer(a8w8, "gfx942", 0, {0, 2048, 3072, columns});
    th_answer answer{};
    EXPECT_EQ(th_find(layer.get(), 16, &answer), TH_OK);
    EXPECT_STREQ(answer.libtype, "") << "the family has no such column";
    return std::string(answer.kernel_name);
  };
  EXPECT_EQ(kernel(nullptr), "i8");
  EXPECT_EQ(kernel("q_dtype_w=torch.float8_e4m3fnuz"), "f8");
  EXPECT_EQ(kernel("q_dtype_w=torch.float8_e4m3fn"), "");
  th_table* bf16 = nullptr;
  ASSERT_EQ(th_open(nullptr, "bf16", nullptr, &bf16), TH_OK);
  EXPECT_EQ(LayerTold(ApiTable(bf16), "gfx942", 0, kShape),
            "5 missing_column: bias: the column 'bias' of bf16 is missing");
}

TEST(DispatchApi, finds_a_batched_row_at_its_own_m_only) {
  const auto table = OpenText(
      "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "gfx942,304,16,32,1280,8192,1,0,500.0,k,0,0,0.0\n",
      "batched_a8w8");
  const auto layer = OpenLayer(table, "gfx942", 0, {16, 1280, 8192, nullptr});
  th_answer answer{};
  ASSERT_EQ(th_find(layer.get(), 32, &answer), TH_OK);
  EXPECT_EQ(answer.found, 1);
  EXPECT_EQ(answer.m, 32);
  ASSERT_EQ(th_find(layer.get(), 31, &answer), TH_OK);
  EXPECT_EQ(answer.found, 0);
}

TEST(DispatchApi, says_what_is_wrong_with_a_question) {
  const auto table = OpenText(kBlockscaleHeader + Row(16, "k"), "a8w8_blockscale");
  const auto layer = OpenLayer(table, "gfx942", 0, kShape);
  th_answer answer{};
  const char* text = nullptr;
  EXPECT_EQ(Told(th_find(layer.get(), 0, &answer)),
            "1 bad_argument: m is 0; expected a number from 1 to 2147483647");
  EXPECT_EQ(Told(th_find(layer.get(), std::int64_t{1} << 31, &answer)).substr(0, 15),
            "1 bad_argument:");
  EXPECT_EQ(Told(th_find(layer.get(), 1, nullptr)), "1 null_argument: answer is a null pointer");
  EXPECT_EQ(Told(th_cell(layer.get(), 1, "us", &text)),
            "1 bad_argument: row is 1; the table has 1");
  EXPECT_EQ(Told(th_cell(layer.get(), 0, "colour", &text)),
            "5 unknown_column: 'colour': expected a column of a8w8_blockscale");
}

TEST(DispatchApi, an_error_is_its_threads_own) {
  th_table* table = nullptr;
  ASSERT_NE(th_open("/nonexistent", "a8w8", nullptr, &table), TH_OK);
  const std::string mine = th_last_error();
  std::string theirs = "unset";
  std::thread([&] { theirs = th_last_error(); }).join();
  EXPECT_EQ(theirs, "");
  EXPECT_EQ(th_last_error(), mine);
}

TEST(DispatchApiRace, many_threads_ask_one_layer) {
  std::string csv = kBlockscaleHeader;
  for (int m = 16; m <= 256; m += 16) csv += Row(m, "k" + std::to_string(m));
  const auto layer = OpenLayer(OpenText(csv, "a8w8_blockscale"), "gfx942", 0, kShape);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int m = 1; m <= 256; ++m) {
        th_answer answer{};
        const int padded = (m + 15) / 16 * 16;
        if (th_find(layer.get(), m, &answer) != TH_OK || answer.m != padded ||
            answer.kernel_name != "k" + std::to_string(padded)) {
          ++wrong;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tunehub::test
