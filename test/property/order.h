// The order of input decides nothing: an engine that is told of a cluster and of the gangs that
// wait in it, in any order, admits the same and has the same hashes; in any number of messages it
// admits the same, and hosts and gangs have the same hashes.
#ifndef PHALANX_TEST_PROPERTY_ORDER_H_
#define PHALANX_TEST_PROPERTY_ORDER_H_

#include <cstdint>

namespace phalanx::test {

struct OrderSeen {
  int64_t crowds = 0;
  int64_t admitted = 0;  // gangs
  int64_t waiting = 0;
};

// A random crowd, told in one order and then in `orders` others. A difference is a failure of the
// running test.
void ExpectOrderDecidesNothing(uint32_t seed, int orders, OrderSeen& seen);

// PT-09: three of so many nodes offer a resource; a gang of three that asks for it gets them, in
// whatever order the nodes arrive, and the hashes are the same.
void ExpectARareResourceIsFound(int nodes, int orders);

}  // namespace phalanx::test

#endif  // PHALANX_TEST_PROPERTY_ORDER_H_
