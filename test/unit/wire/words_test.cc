// Words for enums, and errors of HTTP.
#include "wire/json_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/explain/reason_text.h"

namespace phalanx::wire {
namespace {

using nlohmann::json;

TEST(JsonView, TextThatIsNoUtf8IsReplaced) {
  EXPECT_FALSE(json::parse(ErrorToJson(404, "\xc3("), nullptr, false).is_discarded());
}

TEST(JsonView, EveryEnumHasAWord) {
  for (int i = 0; i <= static_cast<int>(GangPhase::kDone); ++i) {
    EXPECT_NE(Name(static_cast<GangPhase>(i)), "unknown") << i;
  }
  for (int i = 0; i <= static_cast<int>(ReasonCode::kRollingBack); ++i) {
    EXPECT_NE(Name(static_cast<ReasonCode>(i)), "unknown") << i;
  }
  for (int i = 0; i <= static_cast<int>(ExclusionCause::kConflict); ++i) {
    EXPECT_NE(Name(static_cast<ExclusionCause>(i)), "unknown") << i;
  }
  for (int i = 0; i <= static_cast<int>(ProvenThrough::kAll); ++i) {
    EXPECT_NE(ProvenName(static_cast<ProvenThrough>(i)), "unknown") << i;
  }
}

}  // namespace
}  // namespace phalanx::wire
