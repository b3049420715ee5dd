#include "core/analysis/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/shapes/model_shapes.h"
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

// Numbers distinct texts in the order of arrival.
std::size_t PlaceOf(const std::string& text, std::unordered_map<std::string, std::size_t>& places) {
  return places.emplace(text, places.size()).first->second;
}

bool Faster(const TimedChoice& a, const TimedChoice& b) {
  return a.us < b.us;
}

std::unordered_map<std::string, std::size_t> PlacesOf(const std::vector<Choice>& choices) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < choices.size(); ++i) places.emplace(choices[i].identity, i);
  return places;
}

// Returns a candidate's time on the sample's shape key; NaN: not measured.
double TimeOf(const Sample& sample, std::size_t choice) {
  const auto timed = std::ranges::find(sample.timed, choice, &TimedChoice::choice);
  return timed == sample.timed.end() ? std::numeric_limits<double>::quiet_NaN() : timed->us;
}

using Size = std::pair<std::int64_t, std::int64_t>;  // N, K

constexpr std::int64_t kMostTp = 16;

std::map<Size, Tally> BySize(const Samples& samples, const Score& score) {
  const core::Family& family = samples.family;
  const std::size_t n = samples.features.Find(family.columns[family.metric.n].name);
  const std::size_t k = samples.features.Find(family.columns[family.metric.k].name);
  std::vector<const Sample*> first(samples.groups.size(), nullptr);
  for (const Sample& sample : samples.rows) {
    if (first[sample.group] == nullptr) first[sample.group] = &sample;
  }
  std::map<Size, Tally> sizes;
  for (std::size_t i = 0; i < first.size(); ++i) {
    Tally& tally = sizes[{static_cast<std::int64_t>(first[i]->numbers[n]),
                          static_cast<std::int64_t>(first[i]->numbers[k])}];
    tally.rows += score.groups[i].rows;
    tally.matches += score.groups[i].matches;
  }
  return sizes;
}

using Json = nlohmann::ordered_json;

Json NameOf(const Samples& samples, std::size_t choice) {
  return choice == kNoChoice ? Json() : ToJson(samples.choices[choice], samples.family);
}

}  // namespace

// The rows' choices. As the identity ignores ids, each choice gets the ids that most of its rows
// have.
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

double Score::balanced() const {
  double sum = 0;
  std::size_t buckets_with_rows = 0;
  for (const Tally& tally : buckets) {
    if (tally.rows == 0) continue;
    sum += tally.share();
    ++buckets_with_rows;
  }
  return buckets_with_rows == 0 ? 0 : sum / static_cast<double>(buckets_with_rows);
}

Tally Score::UpTo(std::int64_t m, std::int64_t above) const {
  Tally sum;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i].rows == 0 || BucketAt(i).to > m || BucketAt(i).from <= above) continue;
    sum.rows += buckets[i].rows;
    sum.matches += buckets[i].matches;
  }
  return sum;
}

Score ScoreOf(const Samples& samples, const Chooser& chooser) {
  Score score;
  score.groups.resize(samples.groups.size());
  const auto places = PlacesOf(samples.choices);
  const auto untuned = samples.fallback ? places.find(samples.fallback->identity) : places.end();
  const std::size_t fallback = untuned == places.end() ? kNoChoice : untuned->second;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> confused;
  double log_sum = 0;
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    const Sample& sample = samples.rows[i];
    const std::string* const identity = chooser(sample, i);
    const auto found = identity == nullptr ? places.end() : places.find(*identity);
    const std::size_t chosen = found == places.end() ? kNoChoice : found->second;
    const bool match = chosen == sample.choice;
    score.all.Add(match);
    score.buckets[BucketOf(sample.m)].Add(match);
    score.groups[sample.group].Add(match);
    if (!match) ++confused[{chosen, sample.choice}];
    if (sample.timed.size() < 2) continue;
    const double us = TimeOf(sample, chosen), best_us = sample.timed.front().us;
    score.three_way.Add(TimeOf(sample, fallback), us, best_us);
    if (!(us > 0)) continue;
    ++score.timed_rows;
    log_sum += std::log(us / best_us);
  }
  if (score.timed_rows > 0) {
    score.slowdown = std::exp(log_sum / static_cast<double>(score.timed_rows));
  }
  for (const auto& [pair, rows] : confused) {
    score.confusions.push_back({pair.first, pair.second, rows});
  }
  std::stable_sort(score.confusions.begin(), score.confusions.end(),
                   [](const Confusion& a, const Confusion& b) { return a.rows > b.rows; });
  return score;
}

Score ScoreOf(const Samples& samples, const Heuristic& heuristic) {
  return ScoreOf(samples, [&](const Sample& sample, std::size_t) {
    return &heuristic.choices[heuristic.Choose(sample.numbers)].identity;
  });
}

Score ScoreOf(const Samples& samples, const Choice& constant) {
  return ScoreOf(samples, [&](const Sample&, std::size_t) { return &constant.identity; });
}

std::vector<ModelTally> ByModel(const Samples& samples, const Score& score,
                                const std::vector<core::Model>& models) {
  std::vector<ModelTally> tallies;
  if (samples.family.metric.formula != "gemm") return tallies;
  const auto sizes = BySize(samples, score);
  std::map<std::pair<std::int64_t, std::set<Size>>, std::size_t> places;  // indices into `tallies`
  for (const core::Model& model : models) {
    for (std::int64_t tp = 1; tp <= kMostTp; tp *= 2) {
      const auto projections = core::Projections(model, tp);
      if (!projections.ok()) continue;  // tp cannot split the model
      std::set<Size> asked;
      for (const core::Projection& it : *projections) asked.emplace(it.n, it.k);
      const auto measured = [&](const Size& size) { return sizes.contains(size); };
      if (asked.empty() || !std::ranges::all_of(asked, measured)) continue;
      const auto [known, fresh] = places.try_emplace({tp, asked}, tallies.size());
      if (!fresh) {
        tallies[known->second].models.push_back(model.name);
        continue;
      }
      ModelTally& made = tallies.emplace_back(ModelTally{{model.name}, tp, asked.size(), {}});
      for (const Size& size : asked) {
        made.tally.rows += sizes.at(size).rows;
        made.tally.matches += sizes.at(size).matches;
      }
    }
  }
  return tallies;
}

Json ToJson(const Tally& tally) {
  return {{"rows", tally.rows}, {"matches", tally.matches}, {"share", Rounded(tally.share())}};
}

Json ToJson(const Score& score) {
  Json json = ToJson(score.all);
  json["balanced"] = Rounded(score.balanced());
  Json buckets = Json::array();
  for (std::size_t i = 0; i < score.buckets.size(); ++i) {
    if (score.buckets[i].rows == 0) continue;
    Json bucket = {{"m_from", BucketAt(i).from}, {"m_to", BucketAt(i).to}};
    bucket.update(ToJson(score.buckets[i]));
    buckets.push_back(std::move(bucket));
  }
  json["m_buckets"] = std::move(buckets);
  if (score.timed_rows > 0) {
    json["slowdown"] = {{"rows", score.timed_rows}, {"geometric_mean", Rounded(score.slowdown)}};
  }
  if (score.three_way.keys > 0) json["three_way"] = ToJson(score.three_way);
  return json;
}

Json ToJson(const ThreeWay& compared) {
  Json json = {{"keys", compared.keys}};
  if (compared.keys == 0) return json;
  json["heuristic_over_default"] = Rounded(compared.heuristic_over_default());
  json["tuned_over_default"] = Rounded(compared.tuned_over_default());
  json["tuned_over_heuristic"] = Rounded(compared.tuned_over_heuristic());
  return json;
}

Json GroupsJson(const Samples& samples, const Score& score, std::size_t most) {
  Json groups = Json::array();
  for (std::size_t i = 0; i < std::min(most, samples.groups.size()); ++i) {
    Json group = {{"shape", samples.groups[i]}};
    group.update(ToJson(score.groups[i]));
    groups.push_back(std::move(group));
  }
  return groups;
}

Json ConfusionsJson(const Samples& samples, const Score& score, std::size_t most) {
  Json confusions = Json::array();
  for (const Confusion& it : score.confusions) {
    if (confusions.size() == most) break;
    confusions.push_back({{"rows", it.rows},
                          {"chosen", NameOf(samples, it.chosen)},
                          {"tuned", NameOf(samples, it.best)}});
  }
  return confusions;
}

}  // namespace tunehub::analysis
