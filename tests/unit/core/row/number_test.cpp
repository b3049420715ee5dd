// The fast parsers of cells agree with simple parsers.
#include <gtest/gtest.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/byte_words.h"
#include "core/row/cell.h"
#include "core/row/row.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

std::optional<double> FromChars(const std::string& text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

TEST(Number, a_decimal_is_the_nearest_double_whatever_its_length) {
  std::mt19937 random(3);
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    for (auto digits = random() % 18; digits > 0; --digits) {
      text += static_cast<char>('0' + random() % 10);
    }
    if (random() % 4 != 0) text.insert(random() % (text.size() + 1), ".");
    if (random() % 20 == 0) text.insert(random() % (text.size() + 1), 1, ".-e/:"[random() % 5]);
    if (text.empty()) continue;
    ASSERT_EQ(ParseNumber(text), FromChars(text)) << text;
  }
  EXPECT_EQ(ParseNumber("4.8294"), 4.8294);
  EXPECT_EQ(ParseNumber("."), std::nullopt);
  EXPECT_EQ(ParseNumber(""), std::nullopt);
}

TEST(Number, an_integer_is_read_whatever_its_length) {
  std::mt19937 random(4);
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    for (auto digits = 1 + random() % 12; digits > 0; --digits) {
      text += static_cast<char>('0' + random() % 10);
    }
    EXPECT_EQ(ParseInt64(text), std::stoll(text)) << text;
    text[random() % text.size()] = "/:a\0\xB0\xFF"[random() % 6];
    ASSERT_EQ(ParseInt64(text), std::nullopt) << text;
  }
}

TEST(Number, every_place_of_a_byte_is_found_and_no_other) {
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    // Bytes with neighbouring values, and bytes that a faulty borrow or carry would match.
    std::string text(random() % 30, '\0');
    for (char& c : text) c = ",,-+\xAC\x2C\0\xFF"[random() % 8];
    const std::size_t begin = random() % (text.size() + 1);
    std::vector<std::size_t> expected, found;
    for (std::size_t i = begin; i < text.size(); ++i) {
      if (text[i] == ',') expected.push_back(i);
    }
    ForEachPlace(text, ',', begin, text.size(), [&](std::size_t i) { found.push_back(i); });
    ASSERT_EQ(found, expected) << testing::PrintToString(text);
  }
}

// A row's cells as JSON, as pandas and therefore AITER's lookup read them.

std::string Cell(const char* family, const char* column, std::string_view cell) {
  const Family& of = test::ShippedFamily(family);
  return CellJson(of.columns[of.Find(column)], cell).dump();
}

TEST(RowJson, what_pandas_reads_as_nothing_is_null_and_a_kernel_called_null_a_text) {
  EXPECT_EQ(Cell("fmoe", "kernelName2", "Null"), "\"Null\"");
  EXPECT_EQ(Cell("grouped_fmoe", "kernelName2", "Null"), "\"Null\"");
  for (const char* const cell : {"", "nan", "None", "NULL", "null", "N/A"}) {
    EXPECT_EQ(Cell("fmoe", "kernelName2", cell), "null") << cell;
  }
  EXPECT_EQ(Cell("fmoe", "us1", "Null"), "null") << "Null is no number";
}

}  // namespace
}  // namespace tunehub::core
