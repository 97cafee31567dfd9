// Words for enums.
#include "wire/words.h"

#include <gtest/gtest.h>

#include "core/explain/reason_text.h"

namespace phalanx::wire {
namespace {

TEST(Words, EveryEnumHasAWord) {
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
  for (int i = 0; i <= static_cast<int>(EntityKind::kGang); ++i) {
    EXPECT_NE(EntityName(static_cast<EntityKind>(i)), "unknown") << i;
  }
  for (int i = 0; i <= static_cast<int>(FieldKind::kScratch); ++i) {
    EXPECT_NE(FieldKindName(static_cast<FieldKind>(i)), "unknown") << i;
  }
}

}  // namespace
}  // namespace phalanx::wire
