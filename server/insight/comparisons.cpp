#include "server/insight/comparisons.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/table/table_writer.h"
#include "server/answers/issues.h"
#include "server/ingest/run_store.h"
#include "server/tables/measurement_store.h"

namespace tunehub::server {
namespace {

core::Error BadSide(std::string_view name, std::string_view text) {
  return BadParameter(
      name, text,
      "is wrong; expected runs (12 or 12,13) or an environment (rocm:7.0.1,aiter:COMMIT)");
}

}  // namespace

core::Result<SideQuery> ParseSide(std::string_view name, std::string_view text) {
  SideQuery query;
  for (const std::string_view item : core::SplitAfter(text, ",")) {
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) {
      const auto run = core::ParseInt64(item);
      if (!run || *run < 1) return BadSide(name, text);
      query.runs.push_back(*run);
    } else if (colon == 0 || colon + 1 == item.size()) {
      return BadSide(name, text);
    } else {
      query.environment.emplace_back(item.substr(0, colon), item.substr(colon + 1));
    }
  }
  if (query.runs.empty() == query.environment.empty() || query.runs.size() > kMostRuns) {
    return BadSide(name, text);
  }
  return query;
}

analysis::Environment EnvironmentOf(const std::string& provenance) {
  analysis::Environment environment;
  const auto json = core::ReadJson(provenance);
  if (!json.is_object()) return environment;
  for (const auto& [name, value] : json.items()) {
    if (analysis::IsNoFact(name)) continue;
    environment[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return environment;
}

namespace {

// Errors: unknown_run, no_runs, too_many_runs. Throws Unavailable.
core::Result<std::vector<RunRecord>> FindRuns(ConnectionPool& pool, const SideQuery& query) {
  std::vector<RunRecord> runs;
  for (std::int64_t id : query.runs) {
    auto run = RunStore(pool).Find(id);
    if (!run.ok()) return run.error();
    runs.push_back(*std::move(run));
  }
  if (!query.runs.empty()) return runs;
  nlohmann::json members = nlohmann::json::object();
  std::string text;
  for (const auto& [member, value] : query.environment) {
    members[member] = value;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", member, value);
  }
  runs = RunStore(pool).Select({.provenance = members.dump()}, kMostRuns + 1);
  if (runs.empty()) return core::Error{"no_runs", "no run in force has " + text};
  if (runs.size() <= kMostRuns) return runs;
  return core::Error{"too_many_runs",
                     fmt::format("more than {} runs have {}; name one more fact of the environment",
                                 kMostRuns, text)};
}

std::vector<std::int64_t> IdsOf(const std::vector<RunRecord>& runs) {
  return core::Mapped(runs, &RunRecord::id);
}

constexpr std::size_t kListedValues = 3;

// "7.0.1 or 7.1 or unknown and others"
std::string ListOf(const std::set<std::string>& values) {
  std::string text;
  std::size_t listed = 0;
  for (const std::string& value : values) {
    if (listed++ == kListedValues) return text + " and others";
    text += (text.empty() ? "" : " or ") + (value.empty() ? "unknown" : value);
  }
  return text;
}

// Adds the facts of the runs. If the runs differ in a fact, adds all its values and marks the fact
// as mixed.
void AddEnvironment(const std::vector<RunRecord>& runs, analysis::Side& side) {
  side.environment["runs"] = fmt::format("{}", fmt::join(IdsOf(runs), ","));
  std::vector<analysis::Environment> said;
  std::set<std::string> names;
  for (const auto& run : runs) {
    said.push_back(EnvironmentOf(run.provenance));
    for (const auto& [name, value] : said.back()) names.insert(name);
  }
  for (const std::string& name : names) {
    std::set<std::string> values;
    for (const analysis::Environment& it : said) {
      const auto fact = it.find(name);
      values.insert(fact == it.end() ? "" : fact->second);
    }
    side.environment[name] = ListOf(values);
    if (values.size() > 1) side.mixed.insert(name);
  }
}

// Appends the key's target: "gfx942:304", or "bf16 gfx942:304" if several `families` are compared.
void AppendTarget(std::string& text, const ComparedFamilies& families, const core::Family& family,
                  std::string_view gfx, int cu_num) {
  if (families.size() > 1) text.append(family.name).push_back(' ');
  text.append(gfx).append(":").append(std::to_string(cu_num));
}

// `text`: a target's name in a comparison of the families `whole`. Returns the target's name in a
// comparison of only `families` and `target`. Returns nothing if that comparison lacks the target.
std::optional<std::string_view> NarrowedTarget(std::string_view text, const ComparedFamilies& whole,
                                               const ComparedFamilies& families,
                                               const core::Target& target) {
  std::string_view alone = text;
  if (whole.size() > 1) {
    const std::size_t space = text.find(' ');
    const std::string_view name = text.substr(0, space);
    const bool is_wanted = std::ranges::any_of(
        families, [&](const core::Family* family) { return family->name == name; });
    if (!is_wanted) return std::nullopt;
    alone.remove_prefix(space + 1);
  }
  const std::size_t colon = alone.rfind(':');
  const auto cu_num = core::ParseInt64(alone.substr(colon + 1));
  if (!target.Includes(alone.substr(0, colon), static_cast<int>(cu_num.value_or(0)))) return {};
  return families.size() > 1 ? text : alone;
}

class SideReader {
 public:
  // The reader appends rows to `side`. The constructor queries the families' versions, so this
  // thread must not have an open stream.
  SideReader(const Definitions& definitions, FamilyVersions& versions,
             const ComparedFamilies& families, const core::Target& target, analysis::Side& side)
      : targets_(definitions.targets),
        versions_(versions),
        families_(families),
        wanted_(target),
        side_(side) {
    for (const core::Family* family : families_) {
      ids_.push_back(definitions.Id(*family));
      by_id_[ids_.back()] = family;
      versions.Learn(ids_.back());
    }
  }

  // The ids of the families to read.
  const std::vector<std::int16_t>& ids() const { return ids_; }

  // Skips rows of other targets, and rows that do not fit their family's current columns.
  void Add(const RunTimeRecord& record) {
    if (!wanted_.Includes(record.gfx, record.cu_num)) return;
    const core::Family& family = *by_id_.at(record.family);
    line_ = record.line;
    const bool fits =
        versions_.Renew(family, record.family, record.family_version, targets_, line_);
    if (!fits) return;
    const core::Cells cells = core::SplitLine(line_, scratch_);
    shape_.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const core::Column& column = family.columns[i];
      const bool tag = column.role == core::Role::kTag && !cells[i].empty();
      if (column.is_shape() || tag) shape_.emplace_back(column.name, cells[i]);
    }
    candidate_.clear();
    core::AppendCandidateText(candidate_, family, cells);
    target_.clear();
    AppendTarget(target_, families_, family, record.gfx, record.cu_num);
    auto& timing = side_.At(target_, shape_, candidate_, KernelOf(family, cells));
    const auto counts =
        family.config_columns.empty() ? core::Standing::kCompared : core::Standing::kMeasured;
    if (record.standing == counts && std::isfinite(record.us)) timing.Add(record.us, record.reach);
  }

 private:
  const core::Targets& targets_;
  FamilyVersions& versions_;
  const ComparedFamilies& families_;
  const core::Target& wanted_;
  analysis::Side& side_;
  std::vector<std::int16_t> ids_;
  std::map<std::int16_t, const core::Family*> by_id_;
  std::string line_, scratch_, candidate_, target_;
  analysis::NamedViews shape_;
};

constexpr std::size_t kComparisonBytes = 24 * 1024 * 1024;  // room for some 150,000 keys

// Returns a comparison's key in the cache. Equal keys have equal answers. `state`: identifies the
// runs and their rows.
std::string KeyOf(const std::string& state, const ComparedFamilies& families,
                  const core::Target& target, const analysis::CompareLimits& limits) {
  std::string key = state + "\n";
  for (const core::Family* family : families) key += family->name + " ";
  key += fmt::format("\n{}:{} {} {} {} {}", target.gfx, target.cu_num, limits.ignore_below_us,
                     limits.ratio, limits.slack_us, limits.spread);
  return core::HashOf(key).Uuid();
}

}  // namespace

// Also caches two errors, because finding them takes as long as a comparison.
Comparisons::Comparisons(const Definitions& definitions, ConnectionPool& pool,
                         FamilyVersions& versions)
    : definitions_(definitions),
      pool_(pool),
      versions_(versions),
      kept_(kComparisonBytes, {"no_common_key", "too_many_compared"}) {}

core::Result<analysis::Side> Comparisons::ReadSide(const Runs& runs, const CompareQuery& query) {
  analysis::Side side;
  AddEnvironment(runs, side);
  SideReader reader(definitions_, versions_, query.families, query.target, side);
  MeasurementStore(pool_).VisitRunTimes(reader.ids(), IdsOf(runs),
                                        [&](const RunTimeRecord& record) {
                                          reader.Add(record);
                                          return side.timings().size() <= kMostCompared;
                                        });
  if (side.timings().size() <= kMostCompared) return side;
  return core::Error{"too_many_compared",
                     fmt::format("one of the compared sides has more than {} candidates; name a "
                                 "family, a target, or fewer runs",
                                 kMostCompared)};
}

core::Result<analysis::Comparison> Comparisons::Make(const Runs& base, const Runs& head,
                                                     const CompareQuery& query) {
  const auto first = ReadSide(base, query);
  if (!first.ok()) return first.error();
  if (IdsOf(base) == IdsOf(head)) return analysis::Compare(*first, *first, query.limits);
  const auto second = ReadSide(head, query);
  if (!second.ok()) return second.error();
  return analysis::Compare(*first, *second, query.limits);
}

std::string Comparisons::StateOf(const Runs& base, const Runs& head) {
  std::string state;
  std::vector<std::int64_t> ids;
  for (const Runs* runs : {&base, &head}) {
    for (const auto& run : *runs) {
      ids.push_back(run.id);
      state += fmt::format("{} {} {} {}\n", run.id, run.hash.Uuid(), run.rows, run.provenance);
    }
    state += "\n";
  }
  return state + MeasurementStore(pool_).RunStamp(ids);
}

core::Result<Comparisons::Comparison> Comparisons::Get(const CompareQuery& query) {
  const auto base = FindRuns(pool_, query.base);
  if (!base.ok()) return base.error();
  const auto head = FindRuns(pool_, query.head);
  if (!head.ok()) return head.error();
  const std::string state = StateOf(*base, *head);
  const std::string key = KeyOf(state, query.families, query.target, query.limits);
  const auto is_among = [&](const core::Family* family) {
    return std::ranges::find(query.among, family) != query.among.end();
  };
  bool is_made = false;
  auto answer = kept_.Get(key, [&] {
    is_made = true;
    // Looks for a cached comparison of these runs without a filter: all families and targets, and
    // the default limits. The spread must be equal, because it decides a shape key's time.
    Comparison whole;
    if (std::ranges::all_of(query.families, is_among))
      whole = kept_.Find(KeyOf(state, query.among, {}, {.spread = query.limits.spread}));
    if (!whole) return Make(*base, *head, query);
    const auto wanted = [&](std::string_view target) {
      return NarrowedTarget(target, query.among, query.families, query.target);
    };
    return analysis::Narrowed(*whole, wanted, query.limits);
  });
  // The answer may have rows that arrived during the computation. If a failover loses these rows,
  // `key` would find a wrong answer.
  if (is_made && StateOf(*base, *head) != state) kept_.Forget(key);
  return answer;
}

}  // namespace tunehub::server
