#include "server/insight/search.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "core/base/byte_words.h"
#include "core/base/text.h"
#include "core/shapes/shape.h"
#include "core/table/table_writer.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kMaxNumbers = 8;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// A number of the text, and the name of its column: {"m", "16"}; "": no name.
using ShapeNumber = std::pair<std::string, std::string>;

bool IsMixed(const std::vector<ShapeNumber>& numbers) {
  const auto named =
      std::ranges::count_if(numbers, [](const auto& it) { return !it.first.empty(); });
  return named != 0 && named != std::ssize(numbers);
}

// Returns the numbers of "16 1280 5120", "16x1280x5120" or "M=16 N=1280". Empty for any other text.
std::vector<ShapeNumber> NumbersOf(std::string_view text) {
  std::vector<ShapeNumber> numbers;
  for (const std::string_view part : core::SplitAt(text, " ,;:*")) {
    const bool is_named = part.empty() || !IsDigit(part.front());
    for (const std::string_view piece : core::SplitAt(part, is_named ? "" : "xX")) {
      const std::size_t digits = std::min(piece.find_first_of("0123456789"), piece.size());
      std::string name = core::Lower(piece.substr(0, digits));
      const std::string_view value = piece.substr(digits);
      if (piece.empty() || core::Lower(piece) == "x") continue;
      if (value.empty() || !std::ranges::all_of(value, IsDigit)) return {};
      if (name.ends_with('=')) name.pop_back();
      numbers.emplace_back(std::move(name), value);
    }
  }
  return IsMixed(numbers) || numbers.size() > kMaxNumbers ? std::vector<ShapeNumber>{} : numbers;
}

// Finds shapes by the text's numbers: named ones in their columns, others in neighbouring columns.
class NumberSearch {
 public:
  NumberSearch(const core::Family& family, const std::vector<ShapeNumber>& numbers)
      : columns_(core::ShapeColumns(family)) {
    for (const auto& [name, value] : numbers) {
      values_.push_back(value);
      const auto column = std::ranges::find(
          columns_, name, [&](std::size_t it) { return core::Lower(family.columns[it].name); });
      if (column != columns_.end()) named_.push_back(*column);
      is_named_ = is_named_ || !name.empty();
    }
  }

  // Returns the columns of the numbers. Empty: the row does not have the numbers.
  std::vector<std::size_t> In(const core::Cells& cells) const {
    const auto cell = [&](std::size_t column) { return cells[column]; };
    if (is_named_) return std::ranges::equal(named_, values_, {}, cell) ? named_ : Columns();
    const auto place = std::ranges::search(columns_, values_, {}, cell);
    return {place.begin(), place.end()};
  }

 private:
  using Columns = std::vector<std::size_t>;
  const Columns columns_;
  std::vector<std::string> values_;
  Columns named_;
  bool is_named_ = false;
};

struct Found {
  std::map<std::string, SearchHits::RowCounts> kernels;
  std::map<std::vector<std::size_t>, SearchHits::RowCounts> places;  // by columns of the numbers
};

void Count(const TunedRow& row, SearchHits::RowCounts& counts) {
  ++counts.all;
  if (row.baseline) ++counts.baselines;
}

void Look(const core::Family& family, const TunedRow& row, const core::TextSearch& text,
          const NumberSearch& numbers, Found& found) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  for (const std::size_t i : family.kernel_columns) {
    if (i < cells.size() && !cells[i].empty() && text.Finds(cells[i]))
      Count(row, found.kernels[std::string(cells[i])]);
  }
  const auto place = numbers.In(cells);
  if (!place.empty()) Count(row, found.places[place]);
}

void AddHits(const core::Family& family, const Found& found,
             const std::vector<ShapeNumber>& numbers, SearchHits& hits) {
  for (const auto& [name, rows] : found.kernels) hits.kernels.push_back({&family, name, rows});
  for (const auto& [columns, rows] : found.places) {
    SearchHits::Shape shape{&family, {}, rows};
    for (std::size_t i = 0; i < columns.size(); ++i) shape.cells[columns[i]] = numbers[i].second;
    hits.shapes.push_back(std::move(shape));
  }
}

// Returns the number in "12" or "run 12": alone, or after `word` or the first letters of `word`.
std::optional<std::int64_t> NumberBehind(std::string_view word, std::string_view text) {
  const std::string folded = FoldedText(text);
  const std::size_t digits = folded.find_first_of("0123456789");
  if (digits == std::string::npos || !word.starts_with(folded.substr(0, digits))) return {};
  std::int64_t number = 0;
  const char* end = folded.data() + folded.size();
  const auto read = std::from_chars(folded.data() + digits, end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 1) return {};
  return number;
}

// Searches the names in the configuration files.
void LookAtNames(const Definitions& definitions, const std::string& folded, std::size_t limit,
                 SearchHits& hits) {
  for (const core::Device& device : definitions.targets.devices().all()) {
    if (!device.product.empty() && IsCalled(device, folded) && hits.products.size() < limit)
      hits.products.push_back(&device);
  }
  for (const auto& family : definitions.families.all()) {
    if ((Holds(family->name, folded) || Holds(family->title, folded)) &&
        hits.families.size() < limit) {
      hits.families.push_back(family.get());
    }
  }
}

template <typename Hit>
void KeepMost(std::vector<Hit>& hits, std::size_t limit) {
  std::ranges::stable_sort(hits, std::greater(), [](const Hit& it) { return it.rows.all; });
  if (hits.size() > limit)
    hits.erase(hits.begin() + static_cast<std::ptrdiff_t>(limit), hits.end());
}

}  // namespace

SearchHits Search(const Definitions& definitions, const SnapshotSet& set, std::string_view text,
                  std::size_t limit) {
  SearchHits hits;
  const core::TextSearch search(text);
  const std::vector<ShapeNumber> numbers = NumbersOf(text);
  LookAtNames(definitions, FoldedText(text), limit, hits);
  hits.named = FindPlaces(definitions, text, limit);
  hits.run = NumberBehind("run", text);
  hits.revision = NumberBehind("revision", text);
  if (hits.revision > set.revision.number) hits.revision.reset();
  for (const auto& family : definitions.families.all()) {
    const NumberSearch by_number(*family, numbers);
    Found found;
    for (const auto& row : set.families.at(definitions.Id(*family))->rows) {
      Look(*family, *row, search, by_number, found);
    }
    AddHits(*family, found, numbers, hits);
  }
  KeepMost(hits.kernels, limit);
  KeepMost(hits.shapes, limit);
  return hits;
}

}  // namespace tunehub::server
