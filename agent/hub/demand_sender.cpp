#include "agent/hub/demand_sender.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "agent/hub/problem.h"
#include "core/base/read_json.h"
#include "core/row/cell.h"
#include "core/system/random.h"

namespace tunehub::agent {
namespace {

using nlohmann::json;

// A shape's own columns; the target is said once for all of them.
json ShapeJson(const core::MissShape& shape) {
  json object = {{"count", shape.count}};
  for (std::size_t i = 0; i < shape.cells.size(); ++i) {
    const std::string& name = shape.family->untuned_columns[i];
    const core::Column& column = shape.family->columns[shape.family->Find(name)];
    if (column.role == core::Role::kTarget) continue;
    // A device without a name is one, too.
    const bool says = !shape.cells[i].empty() || column.role == core::Role::kDevice;
    if (says) object[column.name] = shape.cells[i];
  }
  return object;
}

std::uint64_t Number(const json& answer, const char* member) {
  const auto found = answer.find(member);
  return found != answer.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

}  // namespace

void DemandSender::Add(std::span<const core::MissShape> shapes) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const core::MissShape*>>
      groups;
  for (const core::MissShape& shape : shapes) {
    groups[{shape.family->name, shape.gfx, shape.cu_num}].push_back(&shape);
  }
  for (const auto& [group, members] : groups) {
    for (std::size_t at = 0; at < members.size(); at += kMaxShapesPerPost) {
      const std::size_t size = std::min(kMaxShapesPerPost, members.size() - at);
      AddPost(std::span(members).subspan(at, size));
    }
  }
  while (posts_.size() > kMaxWaitingPosts) {
    posts_.pop_front();
    ++sent_.dropped_posts;
  }
}

void DemandSender::AddPost(std::span<const core::MissShape* const> shapes) {
  const core::MissShape& first = *shapes.front();
  json body = json::object();
  if (!first.gfx.empty()) {
    body["gfx"] = first.gfx;
    if (const auto cu_num = core::ParseInt(first.cu_num)) body["cu_num"] = *cu_num;
  }
  body["shapes"] = json::array();
  for (const core::MissShape* shape : shapes) body["shapes"].push_back(ShapeJson(*shape));
  posts_.push_back({core::RandomUuid(), first.family->name, body.dump(), shapes.size()});
}

core::Status DemandSender::Send() {
  while (!posts_.empty()) {
    const Post& post = posts_.front();
    const Request request{"POST",
                          "/untuned/" + post.family,
                          {{"Content-Type", "application/json"}, {"Idempotency-Key", post.key}},
                          post.body};
    auto answer = SendWithRetries(hub_, request, policy_, pauses_);
    if (!answer.ok()) return answer.error();
    if (IsTransient(answer->status)) return ToError(ProblemOf(*answer));
    const core::Status counted = Count(post, *answer);
    posts_.pop_front();
    if (!counted.ok()) return counted;
  }
  return core::Ok();
}

core::Status DemandSender::Count(const Post& post, const Answer& answer) {
  if (answer.status != 200) return ToError(ProblemOf(answer));
  const json receipt = core::ReadJson(answer.body);
  if (!receipt.is_object()) {
    return core::Error{"bad_answer", "the hub answered 200 without a receipt"};
  }
  ++sent_.posts;
  sent_.shapes += post.shapes;
  sent_.count += Number(receipt, "count");
  sent_.new_shapes += Number(receipt, "new");
  const auto rejected = receipt.find("rejected");
  if (rejected == receipt.end() || !rejected->is_array() || rejected->empty()) return core::Ok();
  sent_.rejected += rejected->size();
  if (sent_.first_rejected.empty())
    sent_.first_rejected = post.family + ": " + rejected->front().dump();
  return core::Ok();
}

}  // namespace tunehub::agent
