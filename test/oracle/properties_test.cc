// Properties of any world, at small size; at full size in test/long/oracle.
#include "oracle/properties.h"

#include <gtest/gtest.h>

namespace phalanx::oracle {
namespace {

void Expect(const Seen& seen, int worlds) {
  EXPECT_EQ(seen.worlds, worlds);
  EXPECT_GT(seen.fits * 5, worlds);
  EXPECT_GT(seen.refused * 5, worlds);
}

TEST(PropertyOracleTest, OrderOfInputChangesNothing) {
  const Seen seen = CheckProperty(20261202, 2000, 8, ExpectOrderChangesNothing);
  Expect(seen, 2000);
  seen.Print("another order changes nothing");
}

TEST(PropertyOracleTest, AFreeHostNeverTurnsAProvenFitIntoARefusal) {
  const Seen seen = CheckProperty(20261203, 3000, 7, ExpectAFreeHostKeepsAFit);
  Expect(seen, 3000);
  seen.Print("a free host keeps a fit");
}

TEST(PropertyOracleTest, AWhatIfLeavesNoTrace) {
  const Seen seen = CheckProperty(20261211, 1000, 8, ExpectAWhatIfLeavesNoTrace);
  Expect(seen, 1000);
  seen.Print("a what-if leaves no trace");
}

}  // namespace
}  // namespace phalanx::oracle
