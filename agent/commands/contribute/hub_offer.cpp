#include "agent/commands/contribute/hub_offer.h"

#include <fmt/core.h>

#include <map>

#include "agent/hub/get_body.h"
#include "core/base/json_integer.h"
#include "core/base/read_json.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

// Of GET /shapes: the run of the row that is served, and the time of what runs untuned.
struct Evidence {
  std::int64_t run = 0;  // 0: none is told
  std::optional<double> before_us;
};

Evidence EvidenceIn(const Json& shape, const std::string& provider) {
  Evidence evidence;
  for (const Json& it : shape.at("measurements")) {
    if (it.at("provider") != provider) continue;
    if (!it.at("won").is_null()) evidence.run = core::SureInteger(it.at("run"), 1);
    const bool timed = it.at("is_default").get<bool>() && it.at("competes").get<bool>() &&
                       it.at("standing") == "measured" && it.at("us").is_number();
    if (!timed) continue;
    const double us = it.at("us").get<double>();
    evidence.before_us = std::min(evidence.before_us.value_or(us), us);
  }
  return evidence;
}

Parameters KeyParameters(const core::Family& family, std::string_view line) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(line, scratch);
  Parameters parameters;
  for (const std::size_t column : family.key_columns) {
    if (cells[column].empty()) continue;  // which is what a column has that is not given
    parameters.emplace_back(family.columns[column].name, std::string(cells[column]));
  }
  return parameters;
}

// What the hub says of a family that no layer of the model asks for.
bool HasNoShape(const core::Error& error) {
  return error.code == "no_products" || error.code == "unsupported_family";
}

// Of GET /tuned.
Parameters TunedParameters(const core::Family& family, const HubAsked& asked) {
  Parameters parameters = {
      {"provider", asked.provider}, {"measured", "tuned"}, {"allow_empty", "1"}};
  for (const auto& [name, value] : asked.filters) {
    if (name == "cu_num" && family.cu_num == core::kNoColumn) continue;
    parameters.emplace_back(name, value);
  }
  return parameters;
}

}  // namespace

core::Result<std::string> HubOffer::Get(const std::string& path, const Parameters& parameters) {
  return GetBody(hub_, path, parameters, retry_, pauses_);
}

core::Result<Json> HubOffer::GetJson(const std::string& path, const Parameters& parameters) {
  const auto body = Get(path, parameters);
  if (!body.ok()) return body.error();
  Json json = core::ReadJsonAs<Json>(*body);
  if (json.is_object()) return json;
  return core::Error{"bad_answer", fmt::format("the hub answered {} with no JSON object", path)};
}

core::Result<Offer> HubOffer::Read(const HubAsked& asked, const std::string& address) {
  Offer offer;
  offer.from = address;
  provider_ = asked.provider;
  for (const core::Family* family : asked.families) {
    const auto csv = Get("/tuned/" + family->name, TunedParameters(*family, asked));
    if (!csv.ok() && !asked.named && HasNoShape(csv.error())) continue;
    if (!csv.ok()) return csv.error();
    const auto table = ReadRows(*family, configuration_.targets, *csv);
    if (!table.ok()) return table.error();
    FamilyOffer rows{family, {}};
    for (const core::Row& row : table->rows) rows.rows.push_back({row.line, row.us, {}, {}});
    if (!rows.rows.empty()) offer.families.push_back(std::move(rows));
  }
  return offer;
}

core::Status HubOffer::AddEvidence(Contribution& contribution, std::vector<Json>& runs) {
  std::map<std::int64_t, std::size_t> known;
  std::size_t count = 0;
  try {
    for (ContributedFile& file : contribution.files) {
      for (OfferedRow& row : file.rows) {
        if (++count > kMostAskedRows) return core::Ok();
        const auto shape =
            GetJson("/shapes/" + file.family->name, KeyParameters(*file.family, row.line));
        if (!shape.ok()) return shape.error();
        const Evidence evidence = EvidenceIn(*shape, provider_);
        row.before_us = evidence.before_us;
        if (evidence.run == 0) continue;
        if (!known.contains(evidence.run)) {
          auto run = GetJson(fmt::format("/runs/{}", evidence.run), {});
          if (!run.ok()) return run.error();
          known.emplace(evidence.run, runs.size());
          runs.push_back(*std::move(run));
        }
        row.run = known.at(evidence.run);
      }
    }
  } catch (const nlohmann::json::exception& error) {
    return core::Error{"bad_answer", fmt::format("what the hub says of a row: {}", error.what())};
  }
  return core::Ok();
}

}  // namespace tunehub::agent
