#include "server/store/analysis/times.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string_view>

#include "server/store/analysis/measurements.h"
#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {

namespace {

std::string UuidList(const std::vector<core::Hash128>& hashes) {
  std::string list = "{";
  for (const core::Hash128& hash : hashes) list += (list.size() > 1 ? "," : "") + hash.Uuid();
  return list + "}";
}

template <typename T>
std::string ListOf(const std::vector<T>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ","));
}

// As ReadDouble, which reads by a stream: too slow for as many rows as a tree has.
double NumberOf(const pqxx::field& field) {
  double number = std::numeric_limits<double>::quiet_NaN();
  const std::string_view text = field.c_str();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void MeasurementStore::VisitTimes(std::int16_t family, const TimesWanted& wanted,
                                  const VisitTime& visit) {
  std::optional<std::string> up_to;
  if (wanted.up_to) up_to = wanted.up_to->Uuid();
  const auto see = [&](const pqxx::row& row) {
    TimeRecord record{core::ParseUuid(row[0].as<std::string>()),
                      row[1].as<std::string>(),
                      row[2].as<int>(),
                      ReadDouble(row[3]),
                      row[4].as<std::string>(),
                      row[5].as<int>(),
                      row[6].as<bool>()};
    visit(record);
    return true;
  };
  Stream(pool_, sql::read_times, see, family, wanted.engine_says, wanted.gfx, wanted.cu_num, up_to);
}

void MeasurementStore::VisitChoiceTimes(std::int16_t family, bool engine_says,
                                        const std::vector<core::Hash128>& candidates,
                                        const VisitChoice& visit) {
  const auto see = [&](const pqxx::row& row) {
    ChoiceTime record{core::ParseUuid(row[0].as<std::string>()),
                      static_cast<registry::Provider>(row[1].as<int>()),
                      core::ParseUuid(row[2].as<std::string>()),
                      ReadDouble(row[3]),
                      row[4].as<bool>(),
                      row[5].as<bool>(),
                      row[6].as<bool>(),
                      row[7].as<std::string>()};
    visit(record);
    return true;
  };
  Stream(pool_, sql::read_choice_times, see, family, engine_says, UuidList(candidates));
}

bool MeasurementStore::HasSeveral(std::int16_t family, const std::string& gfx, int cu_num) {
  return Query(pool_, sql::has_several, family, gfx, cu_num)[0][0].as<bool>();
}

void MeasurementStore::VisitRunTimes(const std::vector<std::int16_t>& families,
                                     const std::vector<std::int64_t>& runs,
                                     const VisitRunTime& visit) {
  if (runs.empty()) return;
  const auto see = [&](const pqxx::row& row) {
    return visit(RunTimeRecord{row[0].as<std::int16_t>(), row[1].c_str(), row[2].as<int>(),
                               NumberOf(row[3]), static_cast<core::Standing>(row[4].as<int>()),
                               row[5].c_str(), row[6].as<int>()});
  };
  Stream(pool_, sql::read_run_times, see, ListOf(families), ListOf(runs));
}

std::string MeasurementStore::RunStamp(const std::vector<std::int64_t>& runs) {
  return Query(pool_, sql::read_run_stamp, ListOf(runs))[0][0].as<std::string>();
}

}  // namespace tunehub::store
