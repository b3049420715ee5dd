#include "server/service/trends/point_delta.h"

#include <vector>

namespace tunehub::service {
namespace {

store::PointModel Ended(const store::PointModel& was) {
  store::PointModel ended;
  ended.model = was.model;
  ended.gfx = was.gfx;
  ended.cu_num = was.cu_num;
  ended.tp = was.tp;
  return ended;
}

store::PointFamily Ended(const store::PointFamily& was) {
  store::PointFamily ended;
  ended.family = was.family;
  ended.gfx = was.gfx;
  ended.cu_num = was.cu_num;
  return ended;
}

// Calls `use(left, right)` for each place of either list, null where it has none. Both are sorted.
template <typename Row, typename Use>
void EachPlace(const std::vector<Row>& left, const std::vector<Row>& right, Use use) {
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    const bool of_left =
        i < left.size() && (j == right.size() || left[i].place() <= right[j].place());
    const bool of_right =
        j < right.size() && (i == left.size() || right[j].place() <= left[i].place());
    use(of_left ? &left[i] : nullptr, of_right ? &right[j] : nullptr);
    i += of_left ? 1 : 0;
    j += of_right ? 1 : 0;
  }
}

template <typename Row>
std::vector<Row> RowChanges(const std::vector<Row>& before, const std::vector<Row>& now) {
  std::vector<Row> changes;
  EachPlace(before, now, [&](const Row* was, const Row* is) {
    if (is == nullptr)
      changes.push_back(Ended(*was));
    else if (was == nullptr || *was != *is)
      changes.push_back(*is);
  });
  return changes;
}

template <typename Row>
std::vector<Row> AppliedRows(const std::vector<Row>& before, const std::vector<Row>& changes) {
  std::vector<Row> now;
  EachPlace(before, changes, [&](const Row* was, const Row* change) {
    const Row& row = change != nullptr ? *change : *was;
    if (row.is_there()) now.push_back(row);
  });
  return now;
}

}  // namespace

store::PointRows ChangesOf(const store::PointRows& before, const store::PointRows& now) {
  return {RowChanges(before.models, now.models), RowChanges(before.families, now.families)};
}

store::PointRows Applied(const store::PointRows& before, const store::PointRows& changes) {
  return {AppliedRows(before.models, changes.models),
          AppliedRows(before.families, changes.families)};
}

}  // namespace tunehub::service
