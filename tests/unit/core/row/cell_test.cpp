#include "core/row/cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

// Returns the canonical text, or "!code".
std::string Canonical(const Column& column, std::string_view text) {
  Scratch scratch;
  const auto cell = CanonicalCell(column, text, scratch);
  return cell.ok() ? std::string(*cell) : "!" + cell.error().code;
}

Column ColumnOf(Role role, Type type) {
  Column column;
  column.name = "c";
  column.role = role;
  column.type = type;
  return column;
}

std::string Canonical(Type type, std::string_view text) {
  return Canonical(ColumnOf(Role::kConfig, type), text);
}

const Column kKeyInteger = [] {
  Column column = ColumnOf(Role::kShape, Type::kInteger);
  column.min = 1;
  column.max = 100;
  return column;
}();

const Column kAct = [] {
  Column column = ColumnOf(Role::kConfig, Type::kEnum);
  column.values = {"ActivationType.Silu", "ActivationType.Gelu"};
  column.prefix = "ActivationType.";
  return column;
}();

const Column kTag = ColumnOf(Role::kTag, Type::kText);

TEST(Cell, an_integer_has_one_text_and_keeps_to_its_bounds) {
  for (const char* const text : {"80", "80.0", "+80", "080", "8e1", "80.", "80.000"}) {
    EXPECT_EQ(Canonical(kKeyInteger, text), "80") << text;
  }
  EXPECT_EQ(Canonical(Type::kInteger, "-0"), "0");
  for (const char* const text : {"80.5", "x", "8 0", "1e30", "inf", "0x10", "80,", "--1", "+-1",
                                 "+", "99999999999999999999", "1_000", "True"}) {
    EXPECT_EQ(Canonical(Type::kInteger, text), "!not_an_integer") << text;
  }
  EXPECT_EQ(Canonical(kKeyInteger, "1"), "1");
  EXPECT_EQ(Canonical(kKeyInteger, "100"), "100");
  EXPECT_EQ(Canonical(kKeyInteger, "0"), "!out_of_range");
  EXPECT_EQ(Canonical(kKeyInteger, "-1"), "!out_of_range");
  EXPECT_EQ(Canonical(kKeyInteger, "101"), "!out_of_range");
}

TEST(Cell, a_number_keeps_its_text_and_an_error_may_be_a_percentage) {
  for (const char* const text : {"4.8294", "0.0", "152.40320000000003", "1e-3", "inf", "-inf", "-1",
                                 "nan", "NaN", "None", ""}) {
    EXPECT_EQ(Canonical(Type::kNumber, text), text);
  }
  EXPECT_EQ(Canonical(Type::kNumber, "1.5us"), "!not_a_number");
  EXPECT_EQ(Canonical(Type::kNumber, "+-1"), "!not_a_number");
  EXPECT_EQ(Canonical(Type::kNumber, "3%"), "!not_a_number");
  EXPECT_EQ(Canonical(Type::kError, "3.8%"), "3.8%");
  EXPECT_EQ(Canonical(Type::kError, "0.0"), "0.0");
  EXPECT_EQ(Canonical(Type::kError, "-0.0"), "-0.0");
  for (const char* const text : {"-0.01", "-1%", "-inf"}) {
    EXPECT_EQ(Canonical(Type::kError, text), "!out_of_range") << text;
  }
  EXPECT_EQ(Canonical(Type::kError, "%"), "!not_a_number");
  EXPECT_EQ(Canonical(Type::kError, "3.8%%"), "!not_a_number");
  EXPECT_DOUBLE_EQ(*ParseError("3.8%"), 0.038);
  EXPECT_DOUBLE_EQ(*ParseError("0.038"), 0.038);
  EXPECT_TRUE(std::isinf(*ParseError("inf")));
}

TEST(Cell, truth_is_read_in_each_spelling_and_an_enum_takes_values_of_its_prefix) {
  for (const char* const text : {"True", "true", "TRUE", "1", "1.0"}) {
    EXPECT_EQ(Canonical(Type::kBoolean, text), "True") << text;
    EXPECT_EQ(Canonical(Type::kFlag, text), "1") << text;
  }
  for (const char* const text : {"False", "false", "FALSE", "0", "0.0"}) {
    EXPECT_EQ(Canonical(Type::kBoolean, text), "False") << text;
    EXPECT_EQ(Canonical(Type::kFlag, text), "0") << text;
  }
  EXPECT_EQ(Canonical(Type::kBoolean, "2"), "!not_a_boolean");
  EXPECT_EQ(Canonical(Type::kFlag, "yes"), "!not_a_flag");
  EXPECT_EQ(Canonical(kAct, "ActivationType.Silu"), "ActivationType.Silu");
  EXPECT_EQ(Canonical(kAct, "ActivationType.New"), "ActivationType.New");
  EXPECT_EQ(Canonical(kAct, "ActivationType."), "!not_in_enum");
  EXPECT_EQ(Canonical(kAct, "Silu"), "!not_in_enum");
  EXPECT_EQ(Canonical(Type::kEnum, "flydsl_mxfp8"), "flydsl_mxfp8");
  Column key = ColumnOf(Role::kShape, Type::kEnum);
  key.values = {"M_LEQ_1", "any"};
  EXPECT_EQ(Canonical(key, "any"), "any");
  EXPECT_EQ(Canonical(key, "M_LEQ_3"), "!not_in_enum") << "a list without a prefix is closed";
}

TEST(Cell, a_kernels_name_is_one_that_a_compiler_makes) {
  const std::string longest(kMaxNameBytes, 'k');
  const std::string names[] = {"auto",
                               "Null",
                               "sol2",
                               "_ZN5aiter42bf16gemm_fp32bf16_tn_64x64_pf3E",
                               "FAILED: hang (1, 2)",
                               "k.kd",
                               "flydsl_a-b+c",
                               longest};
  for (const std::string& text : names) {
    EXPECT_EQ(Canonical(Type::kKernel, text), text);
  }
  const std::string none[] = {
      "k\"",  "k'",         "k`id`", "k\\n", "k;",  "k{",   "}k",  "$k",
      "k k",  " ",          "#if",   "k<T>", "k,k", "k(1)", "k\n", "k\xE2\x80\xA8",
      "../k", longest + "k"};
  for (const std::string& text : none) {
    EXPECT_EQ(Canonical(Type::kKernel, text), "!bad_text") << text;
  }
  Scratch scratch;
  const auto cell = CanonicalCell(ColumnOf(Role::kConfig, Type::kKernel), "k<T>", scratch);
  EXPECT_EQ(cell.error().detail,
            "'k<T>': expected a kernel's name, 1 to 400 letters, digits and _.+-");
}

TEST(Cell, a_text_of_a_key_or_a_config_is_a_word) {
  for (const Role role : {Role::kShape, Role::kConfig}) {
    const Column column = ColumnOf(role, Type::kText);
    for (const std::string text :
         {"", "nan", "gemm/gluon", "fp8_w8a8", "3.4.0", "triton=3.3.0", "N8=512-N16=256",
          "PT_VERSION=2.11.0;GCN_ARCH_NAME=gfx942:sramecc+:xnack-", "tn_*_64_4096",
          "GemmTunableOp_c10::complex<float>_TN"}) {
      EXPECT_EQ(Canonical(column, text), text);
    }
    for (const std::string text : {"a b", "a,b", "a\"b", "a'b", "f()", "[1]", "{}", "../x",
                                   "a\xC3\xA9", "a\\b", "$x", "a`b", "a|b"}) {
      EXPECT_EQ(Canonical(column, text), "!bad_text") << text;
    }
  }
}

TEST(Cell, a_config_is_one_object_of_counts_switches_and_words) {
  const Column column = ColumnOf(Role::kConfig, Type::kJson);
  const std::string good =
      R"({"BLOCK_SIZE_M":16,"num_warps":4,"waves_per_eu":0,"cache_modifier":".cg","USE_TMA":true,"x":null})";
  EXPECT_EQ(Canonical(column, good), good);
  for (const std::string value :
       {"0", "-1", "1e308", "1.5", "\"__import__('os')\"", "[1]", "{}", "2000000", "\"a b\""}) {
    EXPECT_EQ(Canonical(column, R"({"BLOCK_SIZE_M":)" + value + "}"), "!bad_config") << value;
  }
  EXPECT_EQ(Canonical(column, "{}"), "!bad_config");
  EXPECT_EQ(Canonical(column, "{ \"b\" : 1,\n \"a\": null }"), "{\"b\":1,\"a\":null}");
  EXPECT_EQ(Canonical(column, "{\"a\": 1, \"a\": 2}"), "!twice_in_object");
  EXPECT_EQ(Canonical(column, "{\"a\": {\"b\": 1, \"b\": 2}}"), "!twice_in_object");
  for (const char* const text : {"[1]", "null", "\"x\"", "1", "true"}) {
    EXPECT_EQ(Canonical(column, text), "!not_an_object") << text;
  }
  EXPECT_EQ(Canonical(column, "{\"a\": 1"), "!bad_json");
  EXPECT_EQ(Canonical(column, ""), "!bad_json");
}

TEST(Cell, a_device_is_a_name_and_a_target_loses_its_suffix) {
  const Column column = ColumnOf(Role::kDevice, Type::kText);
  for (const std::string text : {"NVIDIA_A100-SXM4-80GB", "AMD_Instinct_MI325_OAM", "gfx942",
                                 "Intel(R)_Data_Center_GPU_Max_1550", "a.b+c"}) {
    EXPECT_EQ(Canonical(column, text), text);
  }
  for (const std::string text : {"../../../x", "a/b", "a b", "a,b", "a:b", "\xD0\x90"}) {
    EXPECT_EQ(Canonical(column, text), "!bad_text") << text;
  }
  EXPECT_EQ(Canonical(Type::kGfx, "gfx942:sramecc+:xnack-"), "gfx942");
  EXPECT_EQ(Canonical(Type::kGfx, "sm_90a"), "sm_90a");
  EXPECT_EQ(Canonical(Type::kGfx, "cpu-x86-64-v4"), "cpu-x86-64-v4");
  for (const char* const text : {"GFX942", "942", ":xnack", "gfx 942", "gfx942;gfx950"}) {
    EXPECT_EQ(Canonical(Type::kGfx, text), "!bad_gfx") << text;
  }
  EXPECT_EQ(Canonical(Type::kGfx, "g" + std::string(32, '1')), "!bad_gfx");
}

// AITER's scripts evaluate the cells of these columns as Python.
TEST(Cell, NoEnumOfAShippedFamilyTakesWhatAPythonWouldRun) {
  const char* const tails[] = {"",   "x()", "x.y", "x y", "x;y", "x,y",      "x[0]", "x'", "x\"",
                               "x#", "x+1", "(x)", "x\n", "x=1", "\xC3\xA9", "x`",   "$x", "x:"};
  std::size_t checked = 0;
  for (const auto& family : test::ShippedFamilies().all()) {
    for (const Column& column : family->columns) {
      if (column.type != Type::kEnum) continue;
      for (const std::string& value : column.values) EXPECT_EQ(Canonical(column, value), value);
      for (const std::string expression :
           {"__import__('os').system('id')", "exec(\"1\")", "os.system", "1", "lambda: 0"}) {
        const bool name = column.prefix.empty() && column.role == Role::kConfig;
        if (name && expression == "os.system") continue;
        EXPECT_EQ(Canonical(column, expression), "!not_in_enum") << family->name << column.name;
      }
      if (column.prefix.empty()) continue;
      for (const std::string tail : tails) {
        EXPECT_EQ(Canonical(column, column.prefix + tail), "!not_in_enum")
            << family->name << column.name << tail;
      }
      EXPECT_EQ(Canonical(column, column.prefix + "new_1x3"), column.prefix + "new_1x3");
      ++checked;
    }
  }
  EXPECT_GT(checked, 20U);
}

TEST(Cell, a_document_is_an_object_of_any_depth_and_a_size) {
  const Column column = ColumnOf(Role::kConfig, Type::kDocument);
  EXPECT_EQ(Canonical(column, R"({ "a" : [1, {"b c": -1.5}] })"), R"({"a":[1,{"b c":-1.5}]})");
  EXPECT_EQ(Canonical(column, "[1]"), "!not_an_object");
  EXPECT_EQ(Canonical(column, R"({"a": {"b": 1, "b": 2}})"), "!twice_in_object");
  EXPECT_EQ(Canonical(column, R"({"a":")" + std::string(kMaxDocumentBytes, 'x') + "\"}"),
            "!too_large");
}

TEST(Cell, an_engine_is_one_of_the_listed) {
  Column column = ColumnOf(Role::kEngine, Type::kEnum);
  column.values = {"vllm", "sglang"};
  EXPECT_EQ(Canonical(column, "sglang"), "sglang");
  EXPECT_EQ(Canonical(column, "trtllm"), "!not_in_enum");
  EXPECT_EQ(Canonical(column, ""), "!empty_key");
}

TEST(Cell, a_key_column_may_be_empty_where_its_family_says_that_files_may_lack_it) {
  Column column = ColumnOf(Role::kShape, Type::kInteger);
  EXPECT_EQ(Canonical(column, ""), "!empty_key");
  column.missing = {{"", "", ""}};
  EXPECT_EQ(Canonical(column, ""), "");
}

TEST(Cell, no_text_holds_a_control_character) {
  for (const Type type : {Type::kText, Type::kKernel}) {
    EXPECT_EQ(Canonical(type, "a\nb"), "!bad_text");
    EXPECT_EQ(Canonical(type, "a\x7F"), "!bad_text");
  }
  const Column derived = ColumnOf(Role::kDerived, Type::kText);
  EXPECT_EQ(Canonical(derived, "\xC3\xA9 ,<(&*)>"), "\xC3\xA9 ,<(&*)>");
  EXPECT_EQ(Canonical(derived, "a\nb"), "!bad_text");
  EXPECT_EQ(Canonical(kTag, "a\rb"), "!bad_text");
}

TEST(Cell, what_pandas_writes_for_nothing_is_missing) {
  for (const char* const text :
       {"", "nan", "NaN", "None", "Null", "NULL", "null", "N/A", "NA", "<NA>"}) {
    EXPECT_TRUE(IsMissing(text)) << text;
    EXPECT_EQ(Canonical(Type::kInteger, text), "");
    EXPECT_EQ(Canonical(Type::kFlag, text), "");
    EXPECT_EQ(Canonical(Type::kEnum, text), "");
    EXPECT_EQ(Canonical(kKeyInteger, text), "!empty_key");
  }
  EXPECT_FALSE(IsMissing("0"));
  EXPECT_FALSE(IsMissing("inf"));
  EXPECT_FALSE(IsMissing("nano"));
  EXPECT_EQ(Canonical(Type::kKernel, "Null"), "Null") << "a kernel keeps its spelling";
}

TEST(Cell, a_tag_is_a_name_and_empty_zero_and_missing_are_one) {
  // Words that pandas reads as missing values, and numbers that it reads as 0.
  for (const char* const text :
       {"",         "0",    "0.0",  "nan",    "None",    "#N/A", "#N/A N/A", "#NA",  "-1.#IND",
        "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",      "NA",   "NULL",
        "NaN",      "n/a",  "null", "00",     "0e0",     "0.00", "-0",       "+0.0", "-0.0"}) {
    EXPECT_EQ(Canonical(kTag, text), "") << text;
  }
  for (const std::string text :
       {"flydsl_fallback", "_x", "measured_20260929_n47n50_g1_296.3_g2_348.4", "a-b"}) {
    EXPECT_EQ(Canonical(kTag, text), text);
  }
  for (const std::string text :
       {"1", "1.5", "0x10", "-x", ".x", "a b", "a/b", "a,b", "a'", "x()", "\xD0\xB0", "#N"}) {
    EXPECT_EQ(Canonical(kTag, text), "!bad_text") << text;
  }
}

TEST(Cell, an_error_quotes_a_long_value_without_cutting_a_character) {
  Scratch scratch;
  const std::string text = "x" + [] {
    std::string accents;
    for (int i = 0; i < 60; ++i) accents += "\xC3\xA9";
    return accents;
  }();
  const auto cell = CanonicalCell(kKeyInteger, text, scratch);
  EXPECT_EQ(cell.error().detail, "'" + text.substr(0, 79) + "...': expected an integer");
  const auto shorter = CanonicalCell(kKeyInteger, "4x", scratch);
  EXPECT_EQ(shorter.error().detail, "'4x': expected an integer");
}

TEST(Cell, parsed_numbers_are_exact) {
  EXPECT_EQ(ParseInt64("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(ParseInt64("9007199254740993.0"), std::nullopt) << "no double has that value";
  EXPECT_EQ(ParseInt("2147483648"), std::nullopt);
  EXPECT_EQ(ParseNumber("+1.5"), 1.5);
  EXPECT_EQ(ParseNumber(""), std::nullopt);
}

}  // namespace
}  // namespace tunehub::core
