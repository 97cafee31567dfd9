#include "wire/decode_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "wire/dialects/dialects.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

std::string KindText(const pb::ObjectKey& key) {
  return fmt::format("{}/{}/{}", Clip(key.group()), Clip(key.version()), Clip(key.resource()));
}

Refusal RefusalOf(std::string name, Problem problem, bool left_out) {
  return {ObjectKind::kObject, std::move(name), std::move(problem), left_out};
}

const WatchedKind* FindKind(const pb::ObjectKey& key) {
  auto kinds = WatchedKinds();
  auto it = std::ranges::find_if(kinds, [&key](const WatchedKind& kind) {
    return key.group() == kind.group && key.version() == kind.version &&
           key.resource() == kind.resource;
  });
  return it == kinds.end() ? nullptr : &*it;
}

// What is wrong with the key; its kind is known.
std::optional<Problem> CheckKey(const pb::ObjectKey& key) {
  if (key.name().empty()) return Problem{"metadata.name", "", "not empty"};
  if (key.uid().empty()) return Problem{"metadata.uid", "", "not empty"};
  return std::nullopt;
}

// nullopt: left out, which is told.
std::optional<ObjectKey> DecodeKey(const pb::ObjectKey& key, std::vector<Refusal>& refusals) {
  const WatchedKind* kind = FindKind(key);
  std::optional<Problem> problem =
      kind ? CheckKey(key) : Problem{"kind", KindText(key), "one of those that Welcome names"};
  ObjectKey out{kind ? kind->kind : KindText(key), key.namespace_(), key.name()};
  if (!problem) return out;
  refusals.push_back(RefusalOf(Clip(ToString(out)), *std::move(problem), true));
  return std::nullopt;
}

}  // namespace

void DecodeObjects(const pb::Changes& message, Changes& out, std::vector<Refusal>& refusals) {
  for (const pb::ObjectKey& removed : message.removed_objects()) {
    std::optional<ObjectKey> key = DecodeKey(removed, refusals);
    if (key) out.removed_objects.push_back({*std::move(key), removed.uid()});
  }
  for (const pb::Object& object : message.objects()) {
    std::optional<ObjectKey> key = DecodeKey(object.key(), refusals);
    if (!key) continue;
    out.objects.push_back(
        ReadObject(*FindKind(object.key()), *std::move(key), object.key().uid(), object.json()));
    const ApiObject& read = out.objects.back();
    for (const Problem& problem : read.problems) {
      refusals.push_back(RefusalOf(Clip(ToString(read.key)), problem, false));
    }
  }
}

}  // namespace phalanx::wire
