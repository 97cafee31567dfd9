#include "core/engine/outbox.h"

#include <array>
#include <string_view>

namespace phalanx {

uint64_t Outbox::Send(DirectiveBody body) {
  // In the order of the variant.
  static constexpr std::array<std::string_view, 11> kKinds = {
      "admit",     "release",   "reject",    "evict",    "event",        "pod_waits",
      "make_gang", "show_gang", "drop_gang", "read_job", "show_topology"};
  static_assert(kKinds.size() == std::variant_size_v<DirectiveBody>);
  counters_->CountDirective(kKinds[body.index()]);
  outcome_.directives.push_back({++sequence_, std::move(body)});
  return sequence_;
}

}  // namespace phalanx
