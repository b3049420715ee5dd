#include "server/insight/search.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "core/base/byte_words.h"
#include "core/base/text.h"
#include "core/shapes/known_models.h"
#include "core/shapes/shape.h"
#include "core/table/table_writer.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kMaxNumbers = 8;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Returns the numbers of a text with only numbers and separators. Empty for any other text.
std::vector<std::string> NumbersOf(std::string_view text) {
  std::vector<std::string> numbers;
  for (const std::string_view part : core::SplitAt(text, " ,;:x*XMNK=")) {
    if (!std::ranges::all_of(part, IsDigit)) return {};
    if (!part.empty()) numbers.emplace_back(part);
  }
  if (numbers.size() > kMaxNumbers) return {};
  return numbers;
}

struct Found {
  std::map<std::string, SearchHits::RowCounts> kernels;
  std::map<std::vector<std::size_t>, SearchHits::RowCounts> places;  // by columns of the numbers
};

void Count(const TunedRow& row, SearchHits::RowCounts& counts) {
  ++counts.all;
  if (row.baseline) ++counts.baselines;
}

void Look(const core::Family& family, const TunedRow& row, const core::TextSearch& text,
          const std::vector<std::string>& numbers, const std::vector<std::size_t>& columns,
          Found& found) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  for (const std::size_t i : family.kernel_columns) {
    if (i < cells.size() && !cells[i].empty() && text.Finds(cells[i]))
      Count(row, found.kernels[std::string(cells[i])]);
  }
  if (numbers.empty()) return;
  const auto place =
      std::ranges::search(columns, numbers, {}, [&](std::size_t column) { return cells[column]; });
  if (!place.empty()) Count(row, found.places[{place.begin(), place.end()}]);
}

void AddHits(const core::Family& family, const Found& found,
             const std::vector<std::string>& numbers, SearchHits& hits) {
  for (const auto& [name, rows] : found.kernels) hits.kernels.push_back({&family, name, rows});
  for (const auto& [columns, rows] : found.places) {
    SearchHits::Shape shape{&family, {}, rows};
    for (std::size_t i = 0; i < columns.size(); ++i) shape.cells[columns[i]] = numbers[i];
    hits.shapes.push_back(std::move(shape));
  }
}

// Returns the same text for "DeepSeek-V3", "deepseek v3" and "deepseekv3".
std::string FoldedText(std::string_view text) {
  std::string folded;
  for (const char c : text) {
    const char lower = core::Lower(c);
    if (IsDigit(lower) || (lower >= 'a' && lower <= 'z')) folded.push_back(lower);
  }
  return folded;
}

bool Holds(std::string_view name, std::string_view folded) {
  return !folded.empty() && FoldedText(name).find(folded) != std::string::npos;
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

bool IsCalled(const core::Device& device, std::string_view folded) {
  return Holds(device.product, folded) ||
         std::any_of(device.aliases.begin(), device.aliases.end(),
                     [&](const core::DeviceName& it) { return Holds(it.name, folded); });
}

// Searches the names in the configuration files.
void LookAtNames(const Definitions& definitions, const std::string& folded, std::size_t limit,
                 SearchHits& hits) {
  for (const std::string& model : core::KnownModelNames(definitions.models)) {
    if (Holds(model, folded) && hits.models.size() < limit) hits.models.push_back(model);
  }
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
  const std::vector<std::string> numbers = NumbersOf(text);
  LookAtNames(definitions, FoldedText(text), limit, hits);
  hits.run = NumberBehind("run", text);
  hits.revision = NumberBehind("revision", text);
  if (hits.revision > set.revision.number) hits.revision.reset();
  for (const auto& family : definitions.families.all()) {
    const auto columns = core::ShapeColumns(*family);
    Found found;
    for (const auto& row : set.families.at(definitions.Id(*family))->rows) {
      Look(*family, *row, search, numbers, columns, found);
    }
    AddHits(*family, found, numbers, hits);
  }
  KeepMost(hits.kernels, limit);
  KeepMost(hits.shapes, limit);
  return hits;
}

}  // namespace tunehub::server
