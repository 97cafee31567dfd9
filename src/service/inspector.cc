#include "service/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "service/paging.h"
#include "wire/decode.h"
#include "wire/inspect.h"
#include "wire/text.h"
#include "wire/words.h"

namespace phalanx::service {
namespace {

constexpr int32_t kAheadShown = 5;

std::vector<NodeView> NodesByName(const Engine& engine) {
  std::vector<NodeView> nodes = engine.Nodes();
  std::ranges::sort(nodes, {}, &NodeView::name);
  return nodes;
}

std::string Join(const std::vector<std::string>& parts, const char* separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : separator) + part;
  }
  return out;
}

bool Inside(const std::string& path, const std::string& domain) {
  return domain.empty() || path == domain || path.starts_with(domain + "/");
}

absl::Status CheckPhases(const pb::ListGangsRequest& request) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(GangPhase::kDone); ++i) {
    names.emplace_back(wire::Name(static_cast<GangPhase>(i)));
  }
  for (const std::string& phase : request.phases()) {
    if (std::ranges::count(names, phase) > 0) continue;
    return wire::ToStatus({"phases", wire::Clip(phase), "one of " + Join(names, ", ")});
  }
  return absl::OkStatus();
}

absl::Status CheckKey(const GangKey& key) {
  for (const auto& [field, value] :
       {std::pair("namespace", key.ns), std::pair("source", key.source),
        std::pair("name", key.name)}) {
    if (value.empty()) return wire::ToStatus({field, value, "the one of a gang"});
  }
  return absl::OkStatus();
}

absl::Status CheckDomains(const pb::GetTopologyRequest& request, const TopologyView& topology) {
  const std::string& level = request.level();
  if (!level.empty() && std::ranges::count(topology.levels, level) == 0) {
    return wire::ToStatus({"level", wire::Clip(level), "one of " + Join(topology.levels, ", ")});
  }
  const bool known = std::ranges::any_of(
      topology.domains, [&](const DomainView& domain) { return domain.path == request.inside(); });
  if (known || request.inside().empty()) return absl::OkStatus();
  return wire::ToStatus({"inside", wire::Clip(request.inside()), "the path of a domain"});
}

template <class Request>
GangKey KeyOf(const Request& request) {
  return {request.namespace_(), request.source(), request.name()};
}

}  // namespace

void PutView(const runtime::Stamp& stamp, pb::View* out) {
  out->set_epoch(stamp.epoch);
  out->set_synced(stamp.synced);
  out->set_as_of_ms(stamp.as_of.ms);
  out->set_commands(stamp.commands);
}

Inspector::Inspector(runtime::Brain& brain, const Settings& settings)
    : brain_(brain),
      settings_(settings),
      gangs_(brain, [](const Engine& engine) { return engine.GangList(); }),
      nodes_(brain, NodesByName),
      topology_(brain, [](const Engine& engine) { return engine.TopologySnapshot(); }),
      hashes_(brain, [](const Engine& engine) { return engine.Hashes(); }) {}

std::chrono::milliseconds Inspector::Deadline() const {
  return std::chrono::milliseconds(settings_.query_deadline.ms);
}

absl::Status Inspector::ToStatus(runtime::QueryError error) const {
  switch (error) {
    case runtime::QueryError::kBusy:
      return absl::UnavailableError("too many requests wait for the engine; try again");
    case runtime::QueryError::kTimeout:
      return absl::UnavailableError(fmt::format("the engine did not answer within {} ms; try again",
                                                settings_.query_deadline.ms));
    default:
      return absl::UnavailableError("shutting down");
  }
}

absl::Status Inspector::ListGangs(const pb::ListGangsRequest& request,
                                  pb::ListGangsResponse& response) {
  absl::StatusOr<size_t> size = PageSize(request.page_size());
  if (!size.ok()) return size.status();
  absl::Status phases_known = CheckPhases(request);
  if (!phases_known.ok()) return phases_known;
  std::optional<GangPlace> last;
  if (!request.page_token().empty()) {
    absl::StatusOr<GangPlace> place = ReadGangToken(request.page_token());
    if (!place.ok()) return place.status();
    last = *std::move(place);
  }
  auto [copy, error] = gangs_.Get(Deadline());
  if (!copy) return ToStatus(error);
  const std::set<std::string> phases(request.phases().begin(), request.phases().end());
  const auto page = TakePage(
      copy->value, *size,
      [&](const GangView& gang) {
        return (request.namespace_().empty() || gang.key.ns == request.namespace_()) &&
               (phases.empty() || phases.contains(wire::Name(gang.phase))) &&
               gang.key.name.find(request.name_contains()) != std::string::npos;
      },
      [&](const GangView& gang) { return !last || PlaceOf(gang) > *last; });
  PutView(copy->stamp, response.mutable_view());
  response.set_total(page.total);
  for (const GangView* gang : page.items) *response.add_gangs() = wire::EncodeGang(*gang);
  if (page.more) response.set_next_page_token(ToToken(PlaceOf(*page.items.back())));
  return absl::OkStatus();
}

absl::StatusOr<GangView> Inspector::Find(const GangKey& key) {
  absl::Status complete = CheckKey(key);
  if (!complete.ok()) return complete;
  auto result = brain_.Query([key](const Engine& engine) { return engine.Gang(key); }, Deadline());
  if (!result.value) return ToStatus(result.error);
  if (*result.value) return **std::move(result.value);
  return absl::NotFoundError(fmt::format("there is no gang '{}' of source '{}' in namespace '{}'",
                                         wire::Clip(key.name), wire::Clip(key.source),
                                         wire::Clip(key.ns)));
}

absl::Status Inspector::GetGang(const pb::GetGangRequest& request, pb::GetGangResponse& response) {
  absl::StatusOr<GangView> gang = Find(KeyOf(request));
  if (!gang.ok()) return gang.status();
  *response.mutable_gang() = wire::EncodeGang(*gang);
  return absl::OkStatus();
}

absl::Status Inspector::ExplainGang(const pb::ExplainGangRequest& request,
                                    pb::ExplainGangResponse& response) {
  absl::StatusOr<GangView> gang = Find(KeyOf(request));
  if (!gang.ok()) return gang.status();
  response = wire::EncodeExplanation(*gang);
  AddAhead(*gang, response);
  return request.help() ? AddHelp(gang->key, response) : absl::OkStatus();
}

absl::Status Inspector::AddHelp(const GangKey& key, pb::ExplainGangResponse& response) {
  auto result =
      brain_.Query([key](const Engine& engine) { return engine.WhatWouldHelp(key); }, Deadline());
  if (!result.value) return ToStatus(result.error);
  if (*result.value) *response.mutable_help() = wire::EncodeHelp(**result.value);
  return absl::OkStatus();
}

void Inspector::AddAhead(const GangView& gang, pb::ExplainGangResponse& response) {
  auto [copy, error] = gangs_.Get(Deadline());
  if (!copy) return;  // the explanation stands without its neighbours
  for (const GangView& other : copy->value) {
    if (other.position == 0) break;  // those that wait come first
    response.set_waiting(other.position);
    const bool near = other.position >= gang.position - kAheadShown;
    if (gang.position == 0 || !near || PlaceOf(other) >= PlaceOf(gang)) continue;
    pb::GangAhead& item = *response.add_ahead();
    item.set_namespace_(other.key.ns);
    item.set_source(other.key.source);
    item.set_name(other.key.name);
    item.set_position(other.position);
    item.set_devices(other.devices);
    item.set_priority(other.priority);
  }
}

absl::Status Inspector::GetTopology(const pb::GetTopologyRequest& request,
                                    pb::GetTopologyResponse& response) {
  absl::StatusOr<size_t> size = PageSize(request.page_size());
  if (!size.ok()) return size.status();
  auto [copy, error] = topology_.Get(Deadline());
  if (!copy) return ToStatus(error);
  const TopologyView& topology = copy->value;
  absl::Status known = CheckDomains(request, topology);
  if (!known.ok()) return known;
  // A token is "/" and the path of the last domain: the order is depth first, not that of the text.
  bool reached = request.page_token().empty();
  const auto page = TakePage(
      topology.domains, *size,
      [&](const DomainView& domain) {
        return (request.level().empty() || domain.level == request.level()) &&
               Inside(domain.path, request.inside());
      },
      [&](const DomainView& domain) {
        const bool after = reached;
        reached = reached || "/" + domain.path == request.page_token();
        return after;
      });
  if (!reached) {
    return wire::ToStatus({"pageToken", wire::Clip(request.page_token()),
                           "nextPageToken of an answer with a domain that is still there"});
  }
  PutView(copy->stamp, response.mutable_view());
  response.set_generation(topology.generation);
  for (const std::string& level : topology.levels) response.add_levels(level);
  for (const TopologyObjectView& object : topology.objects) {
    *response.add_objects() = wire::EncodeTopologyObject(object);
  }
  for (const PoolView& pool : topology.pools) {
    *response.add_shared_resources() = wire::EncodePool(pool);
  }
  response.set_total(page.total);
  for (const DomainView* domain : page.items) {
    *response.add_domains() = wire::EncodeDomain(*domain);
  }
  if (page.more) response.set_next_page_token("/" + page.items.back()->path);
  return absl::OkStatus();
}

absl::Status Inspector::ListNodes(const pb::ListNodesRequest& request,
                                  pb::ListNodesResponse& response) {
  absl::StatusOr<size_t> size = PageSize(request.page_size());
  if (!size.ok()) return size.status();
  auto [copy, error] = nodes_.Get(Deadline());
  if (!copy) return ToStatus(error);
  const auto inside = [&](const NodeView& node) {
    return Inside(Join(node.path, "/"), request.inside());
  };
  if (!request.inside().empty() && std::ranges::none_of(copy->value, inside)) {
    return wire::ToStatus({"inside", wire::Clip(request.inside()), "the path of a domain"});
  }
  const auto page = TakePage(
      copy->value, *size,
      [&](const NodeView& node) {
        const auto has = node.allocatable.find(request.resource());
        return inside(node) &&
               (request.resource().empty() || (has != node.allocatable.end() && has->second > 0));
      },
      [&](const NodeView& node) { return node.name > request.page_token(); });
  PutView(copy->stamp, response.mutable_view());
  response.set_total(page.total);
  for (const NodeView* node : page.items) *response.add_nodes() = wire::EncodeNode(*node);
  if (page.more) response.set_next_page_token(page.items.back()->name);
  return absl::OkStatus();
}

}  // namespace phalanx::service
