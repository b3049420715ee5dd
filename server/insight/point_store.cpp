#include "server/insight/point_store.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {
namespace {

PointModel ReadModel(const pqxx::row& row) {
  return {row["model"].as<std::string>(),
          row["gfx"].as<std::string>(),
          row["cu_num"].as<int>(),
          row["tp"].as<int>(),
          row["buckets"].as<int>(),
          row["covered"].as<double>(),
          row["shapes"].as<std::int64_t>(),
          row["found"].as<std::int64_t>(),
          row["baseline"].as<std::int64_t>(),
          row["unmeasured"].as<std::int64_t>(),
          row["missing"].as<std::int64_t>()};
}

PointFamily ReadFamily(const pqxx::row& row, std::int16_t family) {
  return {family,
          row["gfx"].as<std::string>(),
          row["cu_num"].as<int>(),
          row["tuned"].as<std::int64_t>(),
          row["measured"].as<std::int64_t>(),
          row["log_speedups"].as<double>(),
          row["since"].as<std::int64_t>()};
}

void CopyModels(pqxx::work& transaction, std::int64_t point, const std::vector<PointModel>& rows) {
  pqxx::stream_to copy(
      transaction, "point_model",
      std::vector<std::string>{"point", "model", "gfx", "cu_num", "tp", "buckets", "covered",
                               "shapes", "found", "baseline", "unmeasured", "missing"});
  for (const PointModel& it : rows) {
    copy << std::make_tuple(point, it.model, it.gfx, it.cu_num, it.tp, it.buckets, it.covered,
                            it.shapes, it.found, it.baseline, it.unmeasured, it.missing);
  }
  copy.complete();
}

void CopyFamilies(pqxx::work& transaction, std::int64_t point,
                  const std::vector<PointFamily>& rows) {
  pqxx::stream_to copy(transaction, "point_family",
                       std::vector<std::string>{"point", "family", "gfx", "cu_num", "tuned",
                                                "measured", "log_speedups", "since"});
  for (const PointFamily& it : rows) {
    copy << std::make_tuple(point, it.family, it.gfx, it.cu_num, it.tuned, it.measured,
                            it.log_speedups, it.since);
  }
  copy.complete();
}

}  // namespace

std::vector<core::Pin> PointStore::Due(std::int64_t after_number, int days, std::size_t most) {
  return core::Mapped(
      Query(pool_, sql::due_points, after_number, days, static_cast<std::int64_t>(most)),
      [](const pqxx::row& row) { return ReadPin(row[0], row[1]); });
}

std::vector<PointRecord> PointStore::List() {
  return core::Mapped(Query(pool_, sql::list_points), [](const pqxx::row& row) {
    return PointRecord{row["id"].as<std::int64_t>(),   ReadPin(row["number"], row["token"]),
                       ReadTime(row["created"]),       row["at"].as<std::int64_t>(),
                       row["kind"].as<std::string>(),  row["filled_in"].as<bool>(),
                       row["models_version"].as<int>()};
  });
}

std::map<std::int64_t, PointRows> PointStore::ReadRows(std::int64_t after) {
  std::map<std::int64_t, PointRows> points;
  for (const auto& row : Query(pool_, sql::read_point_models, after))
    points[row["point"].as<std::int64_t>()].models.push_back(ReadModel(row));
  for (const auto& row : Query(pool_, sql::read_point_families, after)) {
    points[row["point"].as<std::int64_t>()].families.push_back(
        ReadFamily(row, row["family"].as<std::int16_t>()));
  }
  return points;
}

std::vector<PointFamily> PointStore::ReadFamilies(std::int16_t family, std::int64_t revision,
                                                  bool engine_says) {
  return core::Mapped(Query(pool_, sql::read_family_figures, family, revision, engine_says),
                      [&](const pqxx::row& row) { return ReadFamily(row, family); });
}

RevisionTimes PointStore::ReadTimes(const std::set<std::int64_t>& revisions) {
  RevisionTimes times;
  const std::string list = fmt::format("{{{}}}", fmt::join(revisions, ","));
  for (const auto& row : Query(pool_, sql::read_revision_times, list))
    times[row[0].as<std::int64_t>()] = {ReadPin(row[0], row[2]), ReadTime(row[1])};
  return times;
}

std::optional<std::int64_t> PointStore::Add(const core::Pin& revision, const PointBasis& basis,
                                            std::int64_t before, const PointRows& rows) {
  using Added = std::optional<std::int64_t>;
  return InTransaction(pool_, [&](pqxx::work& transaction) -> Added {
    transaction.exec(sql::lock_points);
    if (transaction.exec1(sql::newest_point)[0].as<std::int64_t>() != before) return Added();
    transaction.exec_params0(sql::put_models_version, basis.models_sha256, basis.models);
    const auto put =
        transaction.exec_params(sql::put_point_basis, basis.models_sha256, basis.targets_sha256,
                                nlohmann::json(basis.families).dump());
    if (put.empty()) return Added();
    const auto point = transaction.exec_params(sql::insert_point, revision.number, revision.token,
                                               put[0][0].as<int>());
    if (point.empty()) return Added();
    const auto id = point[0][0].as<std::int64_t>();
    CopyModels(transaction, id, rows.models);
    CopyFamilies(transaction, id, rows.families);
    return Added(id);
  });
}

bool PointStore::AreOlderModels(const std::string& sha256) {
  return Query(pool_, sql::are_older_models, sha256)[0][0].as<bool>();
}

std::vector<ImportEvent> PointStore::ListImports(int days, std::size_t most,
                                                 std::optional<std::int16_t> family) {
  const auto found = Query(pool_, sql::list_imports, days, static_cast<std::int64_t>(most), family);
  return core::Mapped(found, [](const pqxx::row& row) {
    return ImportEvent{ReadPin(row["number"], row["token"]), ReadTime(row["created"]),
                       row["kind"].as<std::string>(), row["cause"].as<std::string>(),
                       row["run"].as<std::int64_t>(0)};
  });
}

std::vector<ToolchainBump> PointStore::ListToolchains(int days, std::size_t most,
                                                      const std::vector<std::string>& names) {
  const std::string list = fmt::format("{{{}}}", fmt::join(names, ","));
  const auto found =
      Query(pool_, sql::list_toolchains, days, static_cast<std::int64_t>(most), list);
  return core::Mapped(found, [](const pqxx::row& row) {
    return ToolchainBump{row["gfx"].as<std::string>(), row["name"].as<std::string>(),
                         row["version"].as<std::string>(), row["id"].as<std::int64_t>(),
                         ReadTime(row["received"])};
  });
}

}  // namespace tunehub::server
