#include <gmock/gmock.h>

#include <algorithm>
#include <compare>
#include <random>

#include "core/base/hash.h"
#include "core/row/row.h"
#include "tests/support/shipped.h"
#include "tests/support/words.h"

namespace tunehub::core {
namespace {

using test::CellList;
using testing::HasSubstr;

std::string KeyText(std::string_view family_name, const CellList& cells) {
  const Family& family = test::ShippedFamily(family_name);
  std::string out;
  AppendKeyText(out, family, test::CellsOf(family, cells));
  return out;
}

std::string Order(const Family& family, const Cells& cells) {
  std::string out;
  AppendOrderKey(out, family, cells);
  return out;
}

std::string Candidate(std::string_view family_name, const CellList& cells) {
  const Family& family = test::ShippedFamily(family_name);
  std::string out;
  AppendCandidateText(out, family, test::CellsOf(family, cells));
  return out;
}

TEST(Key, its_text_is_length_prefixed_and_holds_the_key_columns_only) {
  EXPECT_EQ(
      KeyText("a8w8_blockscale", "gfx=gfx942 cu_num=304 M=1 N=1280 K=8192 us=5.5 kernelName=k"),
      "15:a8w8_blockscale3:gfx6:gfx9426:cu_num3:3041:M1:11:N4:12801:K4:8192");
}

TEST(Key, columns_at_their_default_are_left_out) {
  const std::string without = KeyText("a8w8", "gfx=gfx942 q_dtype_w=torch.int8");
  EXPECT_THAT(without, testing::Not(HasSubstr("q_dtype_w")));
  EXPECT_NE(KeyText("a8w8", "gfx=gfx942 q_dtype_w=torch.float8_e4m3fn"), without);
  // The text contains this column because the column's default depends on the target.
  EXPECT_THAT(KeyText("a8w8_bpreshuffle", {{"q_dtype_w", "torch.float8_e4m3fnuz"}}),
              HasSubstr("fnuz"));
  EXPECT_THAT(KeyText("fmoe", {{"_tag", ""}}), testing::Not(HasSubstr("_tag")));
  EXPECT_NE(KeyText("fmoe", {{"_tag", "x"}}), KeyText("fmoe", {{"_tag", ""}}));
  EXPECT_THAT(KeyText("grouped_fmoe", {{"gate_mode", ""}}), testing::Not(HasSubstr("gate_mode")));
}

TEST(Key, permuted_shapes_and_other_families_are_other_keys) {
  EXPECT_NE(KeyText("a8w8_blockscale", "M=1 N=2 K=3"), KeyText("a8w8_blockscale", "M=2 N=1 K=3"));
  EXPECT_NE(KeyText("a8w8_blockscale", "M=1 N=23"), KeyText("a8w8_blockscale", "M=12 N=3"));
  EXPECT_NE(KeyText("batched_a8w8", {{"M", "1"}}), KeyText("batched_bf16", {{"M", "1"}}));
}

TEST(Key, an_id_counts_for_the_candidate_only_where_no_kernel_is_named) {
  const auto candidate = [](std::string_view id, std::string_view name) {
    return Candidate("a8w8_blockscale",
                     {{"libtype", "ck"}, {"splitK", "0"}, {"kernelId", id}, {"kernelName", name}});
  };
  EXPECT_EQ(candidate("6", "k"), candidate("12", "k"));
  EXPECT_NE(candidate("6", ""), candidate("12", ""));
  EXPECT_EQ(candidate("6", "Null"), candidate("6", ""));
  EXPECT_NE(candidate("6", "k"), candidate("6", "l"));
  EXPECT_NE(Candidate("a8w8_blockscale", "splitK=0 kernelName=k"),
            Candidate("a8w8_blockscale", "splitK=1 kernelName=k"));
}

TEST(Key, rows_are_in_the_order_of_the_family_file) {
  const Family& fmoe = test::ShippedFamily("fmoe");
  const auto act = [&](std::string_view value) {
    return Order(fmoe, test::CellsOf(fmoe, {{"act_type", value}, {"q_type", "QuantType.No"}}));
  };
  EXPECT_LT(act("ActivationType.Silu"), act("ActivationType.Gelu"));
  EXPECT_LT(act("ActivationType.Situv2"), act("ActivationType.Anew"));
  EXPECT_LT(act("ActivationType.Anew"), act("ActivationType.Bnew"));
  EXPECT_LT(act(""), act("ActivationType.No"));

  const Family& a8w8 = test::ShippedFamily("a8w8");
  const auto dtype = [&](std::string_view m, std::string_view value) {
    return Order(a8w8, test::CellsOf(a8w8, {{"M", m}, {"q_dtype_w", value}}));
  };
  EXPECT_LT(dtype("8", "torch.int8"), dtype("8", "torch.float8_e4m3fnuz"));
  EXPECT_LT(dtype("8", "torch.int8"), dtype("8", "torch.float8_e4m3fn"));
  EXPECT_LT(dtype("8", "torch.float8_e4m3fn"), dtype("16", "torch.int8"));
}

TEST(Key, equal_order_keys_mean_equal_keys) {
  Family family = test::ShippedFamily("bf16");
  const auto order = [&](std::string_view column, std::string_view value) {
    return Order(family, test::CellsOf(family, {{column, value}}));
  };
  EXPECT_LT(order("bias", ""), order("bias", "False"));
  EXPECT_LT(order("bias", "False"), order("bias", "True"));
  EXPECT_NE(order("M", ""), order("M", "0"));
  EXPECT_LT(order("M", ""), order("M", "-9223372036854775808"));
  EXPECT_NE(order("dtype", "a"), order("dtype", ""));
}

// The order in simple code: column by column, integers by value, enums by their place in the list.
std::strong_ordering PlainOrder(const Column& column, const std::string& a, const std::string& b) {
  if (column.type == Type::kInteger) return std::stoll(a) <=> std::stoll(b);
  if (column.type == Type::kEnum) {
    const auto place = [&](const std::string& value) {
      return std::find(column.values.begin(), column.values.end(), value) - column.values.begin();
    };
    if (const auto order = place(a) <=> place(b); order != 0) return order;
  }
  return a <=> b;  // also "False" before "True", "0" before "1"
}

std::string RandomValue(const Column& column, std::mt19937& random) {
  static const auto kIntegers = test::Words(
      "0 1 2 255 256 257 65535 65536 -1 -2 -255 -256 -257 -65536 -65537 16777216 "
      "9223372036854775807 -9223372036854775808");
  const auto pick = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
  switch (column.type) {
    case Type::kInteger:
      return random() % 2 == 0 ? pick(kIntegers)
                               : std::to_string(static_cast<int>(random() % 4001) - 2000);
    case Type::kEnum: {
      std::vector<std::string> values = column.values;
      values.insert(values.end(), {column.prefix + "A", column.prefix + "AB", column.prefix + "b"});
      return pick(values);
    }
    case Type::kBoolean:
      return pick({"False", "True"});
    case Type::kFlag:
      return pick({"0", "1"});
    case Type::kGfx:
      return pick({"gfx942", "gfx950", "gfx94", "gfx1250", "sm_90a"});
    default:
      return pick({"", "a", "aa", "b"});
  }
}

std::strong_ordering PlainOrder(const Family& family, const std::vector<std::string>& a,
                                const std::vector<std::string>& b) {
  for (std::size_t i : family.key_columns) {
    if (const auto order = PlainOrder(family.columns[i], a[i], b[i]); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

TEST(Key, bytewise_order_is_the_plain_order_of_the_columns) {
  std::mt19937 random(20260822);
  for (const auto& family : test::ShippedFamilies().all()) {
    std::vector<std::string> a(family->columns.size()), b;
    for (std::size_t i : family->key_columns) a[i] = RandomValue(family->columns[i], random);
    for (int round = 0; round < 2000; ++round) {
      b = a;  // mostly equal, so that later columns also decide
      for (int changes = 0; changes < 2; ++changes) {
        const std::size_t i = family->key_columns[random() % family->key_columns.size()];
        b[i] = RandomValue(family->columns[i], random);
      }
      const auto bytes = Order(*family, Cells(a.begin(), a.end()))
                             .compare(Order(*family, Cells(b.begin(), b.end())));
      ASSERT_TRUE((bytes <=> 0) == PlainOrder(*family, a, b)) << family->name << '\n'
                                                              << testing::PrintToString(a) << '\n'
                                                              << testing::PrintToString(b);
      a = b;
    }
  }
}

TEST(Hash128, is_the_beginning_of_sha256_and_a_uuid_and_nothing_else_is_one) {
  const Hash128 hash = HashOf("abc");
  EXPECT_EQ(hash.Uuid(), "ba7816bf-8f01-cfea-4141-40de5dae2223");
  EXPECT_EQ(ParseUuid(hash.Uuid()), hash);
  EXPECT_NE(HashOf("abd"), hash);
  EXPECT_LT((Hash128{{0x7F}}), (Hash128{{0x80}})) << "ordered as unsigned bytes, as in PostgreSQL";
  for (const char* const text :
       {"", "ba7816bf", "ba7816bf-8f01-cfea-4141-40de5dae222",
        "ba7816bf-8f01-cfea-4141-40de5dae222G", "ba7816bf08f01-cfea-4141-40de5dae2223",
        "BA7816BF-8F01-CFEA-4141-40DE5DAE2223"}) {
    EXPECT_THROW(ParseUuid(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace tunehub::core
