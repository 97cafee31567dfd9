#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/explain/reason_text.h"
#include "service/inspector.h"
#include "service/paging.h"
#include "wire/decode.h"
#include "wire/inspect.h"
#include "wire/text.h"

namespace phalanx::service {
namespace {

constexpr EntityKind kKinds[] = {EntityKind::kEngine, EntityKind::kHost, EntityKind::kGang};

std::optional<EntityKind> KindNamed(const std::string& name) {
  for (EntityKind kind : kKinds) {
    if (name == EntityName(kind)) return kind;
  }
  return std::nullopt;
}

using Place = std::pair<EntityKind, std::string>;

// "KIND:NAME"
absl::StatusOr<Place> ReadToken(const std::string& token) {
  const size_t colon = token.find(':');
  const std::optional<EntityKind> kind = KindNamed(token.substr(0, colon));
  if (kind && colon != std::string::npos) return Place{*kind, token.substr(colon + 1)};
  return wire::ToStatus({"pageToken", wire::Clip(token), "nextPageToken of an earlier answer"});
}

absl::Status CheckKinds(const pb::ListHashesRequest& request) {
  for (const std::string& kind : request.kinds()) {
    if (KindNamed(kind)) continue;
    return wire::ToStatus({"kinds", wire::Clip(kind), "one of engine, host, gang"});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Inspector::ListHashes(const pb::ListHashesRequest& request,
                                   pb::ListHashesResponse& response) {
  absl::StatusOr<size_t> size = PageSize(request.page_size());
  if (!size.ok()) return size.status();
  absl::Status known = CheckKinds(request);
  if (!known.ok()) return known;
  std::optional<Place> last;
  if (!request.page_token().empty()) {
    absl::StatusOr<Place> place = ReadToken(request.page_token());
    if (!place.ok()) return place.status();
    last = *std::move(place);
  }
  auto [copy, error] = hashes_.Get(Deadline());
  if (!copy) return ToStatus(error);
  const auto page = TakePage(
      copy->value, *size,
      [&](const EntityHash& entity) {
        const auto& kinds = request.kinds();
        const bool wanted =
            kinds.empty() || std::count(kinds.begin(), kinds.end(), EntityName(entity.kind)) > 0;
        return wanted && (!request.stale_only() || !entity.stale.empty());
      },
      [&](const EntityHash& entity) { return !last || Place(entity.kind, entity.name) > *last; });
  PutView(copy->stamp, response.mutable_view());
  response.set_total(page.total);
  for (const EntityHash* entity : page.items) {
    *response.add_entities() = wire::EncodeEntityHash(*entity);
  }
  if (page.more) {
    const EntityHash& end = *page.items.back();
    response.set_next_page_token(fmt::format("{}:{}", EntityName(end.kind), end.name));
  }
  return absl::OkStatus();
}

absl::Status Inspector::GetFieldHashes(const pb::GetFieldHashesRequest& request,
                                       pb::GetFieldHashesResponse& response) {
  const std::optional<EntityKind> kind = KindNamed(request.kind());
  if (!kind || *kind == EntityKind::kHost) {
    return wire::ToStatus({"kind", wire::Clip(request.kind()), "gang or engine"});
  }
  auto fields = brain_.Query([kind, name = request.name()](
                                 const Engine& engine) { return engine.FieldHashes(*kind, name); },
                             Deadline());
  if (!fields.value) return ToStatus(fields.error);
  if (fields.value->empty()) {
    return absl::NotFoundError(fmt::format("there is no gang '{}', expected NAMESPACE/SOURCE/NAME",
                                           wire::Clip(request.name())));
  }
  for (const FieldHash& field : *fields.value) {
    *response.add_fields() = wire::EncodeFieldHash(field);
  }
  return absl::OkStatus();
}

}  // namespace phalanx::service
