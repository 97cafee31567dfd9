// At small size; at full size in test/long/property.
#include "property/order.h"

#include <gtest/gtest.h>

namespace phalanx::test {
namespace {

TEST(EngineOrderTest, OrderOfInputDecidesNothing) { ExpectOrderDecidesNothing(1, 40); }

TEST(EngineOrderTest, ARareResourceIsFoundInAnyOrder) { ExpectARareResourceIsFound(100, 20); }

}  // namespace
}  // namespace phalanx::test
