#include "core/analysis/samples.h"

#include <algorithm>
#include <unordered_map>

#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/shapes/padded_m.h"
#include "core/shapes/shape.h"
#include "core/table/table_writer.h"

namespace tunehub::analysis {
namespace {

std::string ShapeWithout(std::size_t left_out, const core::Family& family,
                         const core::Cells& cells) {
  std::string text;
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    if (!family.columns[i].is_shape() || i == left_out) continue;
    if (!text.empty()) text += ' ';
    text += family.columns[i].name + "=" + std::string(cells[i]);
  }
  return text;
}

// Numbers texts in the order they come.
std::size_t PlaceOf(const std::string& text, std::unordered_map<std::string, std::size_t>& places) {
  return places.emplace(text, places.size()).first->second;
}

bool Faster(const TimedChoice& a, const TimedChoice& b) {
  return a.us < b.us;
}

}  // namespace

// The rows' choices, each with the ids that most rows give it: identity leaves ids out.
class ChoiceTable {
 public:
  explicit ChoiceTable(const core::Family& family) : family_(family) {}

  std::size_t Of(const core::Cells& cells) {
    text_.clear();
    core::AppendCandidateText(text_, family_, cells);
    const std::size_t place = PlaceOf(text_, identities_);
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
  std::unordered_map<std::string, std::size_t> identities_;
  std::vector<std::vector<Variant>> variants_;
  std::string text_;
};

std::size_t MColumn(const core::Family& family) {
  if (const std::size_t m = core::MColumnOf(family); m != core::kNoColumn) return m;
  const auto shape = core::ShapeColumns(family);
  return shape.empty() ? core::kNoColumn : shape.front();
}

std::string ShapeText(const core::Family& family, const core::Cells& cells) {
  return ShapeWithout(core::kNoColumn, family, cells);
}

std::string GroupOf(const core::Family& family, const core::Cells& cells) {
  return ShapeWithout(MColumn(family), family, cells);
}

SampleMaker::SampleMaker(const core::Family& family)
    : family_(family),
      m_(MColumn(family)),
      samples_(family),
      choices_(std::make_unique<ChoiceTable>(family)) {}

SampleMaker::~SampleMaker() = default;

void SampleMaker::Add(const SampleRow& row) {
  if (row.standing != core::Standing::kMeasured && row.standing != core::Standing::kDeclared) {
    ++samples_.without_time;
    return;
  }
  const core::Cells cells = core::SplitLine(row.line, scratch_);
  key_.clear();
  core::AppendKeyText(key_, family_, cells);
  const std::size_t place = PlaceOf(key_, keys_);
  if (place == samples_.rows.size()) {
    Sample sample;
    samples_.features.Of(cells, row.cu_num, sample.numbers);
    if (m_ != core::kNoColumn)
      sample.m = std::max<std::int64_t>(1, core::ParseInt64(cells[m_]).value_or(1));
    std::string group = GroupOf(family_, cells);
    sample.group = PlaceOf(group, groups_);
    if (sample.group == samples_.groups.size()) samples_.groups.push_back(std::move(group));
    samples_.rows.push_back(std::move(sample));
  }
  samples_.rows[place].timed.push_back({choices_->Of(cells), row.us});
}

Samples SampleMaker::Done() {
  for (Sample& sample : samples_.rows) {
    std::stable_sort(sample.timed.begin(), sample.timed.end(), Faster);
    sample.choice = sample.timed.front().choice;
  }
  samples_.choices = choices_->Choices();
  return std::move(samples_);
}

Samples MakeSamples(const core::Family& family, std::span<const SampleRow> rows) {
  SampleMaker maker(family);
  for (const SampleRow& row : rows) maker.Add(row);
  return maker.Done();
}

}  // namespace tunehub::analysis
