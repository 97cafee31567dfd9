#include "core/base/interner.h"

#include <gtest/gtest.h>

#include "phalanx/ids.h"

namespace phalanx {
namespace {

TEST(InternerTest, GivesOneIdPerNameAndFindsItAgain) {
  Interner<ResourceId> names;
  const ResourceId cpu = names.Intern("cpu");
  const ResourceId gpu = names.Intern("nvidia.com/gpu");
  EXPECT_NE(cpu, gpu);
  EXPECT_EQ(names.Intern("cpu"), cpu);
  EXPECT_EQ(names.Find("nvidia.com/gpu"), gpu);
  EXPECT_EQ(names.Name(gpu), "nvidia.com/gpu");
  EXPECT_EQ(names.size(), 2u);
}

TEST(InternerTest, FindDoesNotAdd) {
  Interner<ResourceId> names;
  EXPECT_FALSE(names.Find("memory").valid());
  EXPECT_EQ(names.size(), 0u);
}

}  // namespace
}  // namespace phalanx
