#include "wire/dialects/queue.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "wire/json_read.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

using Json = nlohmann::json;
using Path = std::initializer_list<const char*>;

std::string Dotted(Path path) {
  std::string out;
  for (const char* key : path) out += (out.empty() ? "" : ".") + std::string(key);
  return out;
}

std::optional<int64_t> Number(const Json& json, Path path, int64_t least, int64_t most,
                              ApiObject& out) {
  const Json* value = FindField(json, path);
  if (value == nullptr) return std::nullopt;
  const std::optional<int64_t> number = WholeNumber(*value);
  if (number && *number >= least && *number <= most) return number;
  out.problems.push_back(
      {Dotted(path), Show(*value), fmt::format("a whole number from {} to {}", least, most)});
  return std::nullopt;
}

std::string Text(const Json& json, Path path, ApiObject& out) {
  const Json* value = FindField(json, path);
  if (value == nullptr) return "";
  if (value->is_string()) return Clip(value->get<std::string>());
  out.problems.push_back({Dotted(path), Show(*value), "a text"});
  return "";
}

void ReadPaused(const Json& json, DeclaredQueue& queue, ApiObject& out) {
  const Json* paused = FindField(json, {"spec", "paused"});
  if (paused == nullptr) return;
  queue.paused = true;
  queue.paused_by = Text(json, {"spec", "paused", "by"}, out);
  queue.pause_reason = Text(json, {"spec", "paused", "reason"}, out);
}

}  // namespace

void ReadGangQueue(const Json& json, ApiObject& out) {
  DeclaredQueue queue;
  queue.parent = Text(json, {"spec", "parent"}, out);
  if (!queue.parent.empty() && queue.parent == out.key.name) {
    out.problems.push_back({"spec.parent", queue.parent, "another queue than itself"});
  }
  queue.limit = Number(json, {"spec", "limit", "devices"}, 0, kMaxQueueDevices, out);
  ReadPaused(json, queue, out);
  const Json* generation = FindField(json, {"metadata", "generation"});
  out.generation = generation != nullptr ? WholeNumber(*generation).value_or(1) : 1;
  if (out.problems.empty()) out.followed_generation = out.generation;
  out.body = std::move(queue);
}

}  // namespace phalanx::wire
