#include "core/plan/refusals.h"

#include <algorithm>

namespace phalanx {

RequestClass ClassOf(const PlacementRequest& request) {
  RequestClass out{{},
                   request.required_level,
                   request.within,
                   request.joining,
                   request.exclusive_level,
                   request.placed,
                   {}};
  if (request.joining) out.closed = request.closed;
  for (const RoleRequest& role : request.roles) out.roles.emplace_back(role.shape, role.count);
  std::sort(out.roles.begin(), out.roles.end());
  return out;
}

void Refusals::NoteRelease() {
  ++epoch_;
  refused_.clear();
}

const Reason* Refusals::Find(const RequestClass& request) const {
  auto it = refused_.find(request);
  return it == refused_.end() ? nullptr : &it->second.reason;
}

ShapeId Refusals::About(const RequestClass& request) const {
  auto it = refused_.find(request);
  return it == refused_.end() ? ShapeId::None() : it->second.about;
}

void Refusals::Remember(const RequestClass& request, const Reason& reason, ShapeId about) {
  refused_.insert_or_assign(request, Refusal{reason, about});
}

}  // namespace phalanx
