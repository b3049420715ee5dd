#include "core/analysis/samples.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/row/cell.h"
#include "core/row/key.h"
#include "core/table/table_writer.h"

namespace tunehub::analysis {
namespace {

// Numbers texts in the order they come.
class Interned {
 public:
  std::size_t Of(const std::string& text) {
    return places_.emplace(text, places_.size()).first->second;
  }
  std::size_t size() const { return places_.size(); }

 private:
  std::unordered_map<std::string, std::size_t> places_;
};

// The rows' choices, each with the ids that most rows give it: identity leaves ids out.
class ChoiceTable {
 public:
  explicit ChoiceTable(const core::Family& family) : family_(family) {}

  std::size_t Of(const core::Cells& cells) {
    text_.clear();
    core::AppendCandidateText(text_, family_, cells);
    const std::size_t place = identities_.Of(text_);
    if (place == variants_.size()) variants_.emplace_back();
    std::vector<std::string> config(family_.columns.size());
    for (std::size_t i : family_.config_columns) config[i] = cells[i];
    auto& variants = variants_[place];
    const auto found = std::find_if(variants.begin(), variants.end(),
                                    [&](const Variant& it) { return it.cells == config; });
    if (found != variants.end()) {
      ++found->rows;
    } else {
      variants.push_back({std::move(config), 1});
    }
    return place;
  }

  std::vector<Choice> Choices() const {
    std::vector<Choice> choices;
    for (const auto& variants : variants_) {
      const auto most =
          std::max_element(variants.begin(), variants.end(),
                           [](const Variant& a, const Variant& b) { return a.rows < b.rows; });
      choices.push_back(MakeChoice(family_, most->cells));
    }
    return choices;
  }

 private:
  struct Variant {
    std::vector<std::string> cells;
    std::size_t rows = 0;
  };
  const core::Family& family_;
  Interned identities_;
  std::vector<std::vector<Variant>> variants_;
  std::string text_;
};

bool Faster(const TimedChoice& a, const TimedChoice& b) {
  return a.us < b.us;
}

}  // namespace

std::size_t MColumn(const core::Family& family) {
  if (family.lookup.m != core::kNoColumn) return family.lookup.m;
  if (family.metric.m != core::kNoColumn) return family.metric.m;
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    if (family.columns[i].is_shape()) return i;
  }
  return core::kNoColumn;
}

std::string GroupOf(const core::Family& family, const core::Cells& cells) {
  const std::size_t m = MColumn(family);
  std::string group;
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    if (!family.columns[i].is_shape() || i == m) continue;
    if (!group.empty()) group += ' ';
    group += family.columns[i].name + "=" + std::string(cells[i]);
  }
  return group;
}

Samples MakeSamples(const core::Family& family, std::span<const SampleRow> rows) {
  Samples samples(family);
  Interned keys, groups;
  ChoiceTable choices(family);
  const std::size_t m = MColumn(family);
  std::string scratch, key;
  for (const SampleRow& row : rows) {
    if (row.standing != core::Standing::kMeasured && row.standing != core::Standing::kDeclared) {
      ++samples.without_time;
      continue;
    }
    const core::Cells cells = core::SplitLine(row.line, scratch);
    key.clear();
    core::AppendKeyText(key, family, cells);
    const std::size_t place = keys.Of(key);
    if (place == samples.rows.size()) {
      Sample sample;
      samples.features.Of(cells, row.cu_num, sample.numbers);
      if (m != core::kNoColumn)
        sample.m = std::max<std::int64_t>(1, core::ParseInt64(cells[m]).value_or(1));
      std::string group = GroupOf(family, cells);
      sample.group = groups.Of(group);
      if (sample.group == samples.groups.size()) samples.groups.push_back(std::move(group));
      samples.rows.push_back(std::move(sample));
    }
    samples.rows[place].timed.push_back({choices.Of(cells), row.us});
  }
  for (Sample& sample : samples.rows) {
    std::stable_sort(sample.timed.begin(), sample.timed.end(), Faster);
    sample.choice = sample.timed.front().choice;
  }
  samples.choices = choices.Choices();
  return samples;
}

}  // namespace tunehub::analysis
