// The order of input decides nothing: an engine that is told of a cluster and of the gangs that
// wait in it, in any order, admits the same and has the same hashes; in any number of messages it
// admits the same, and hosts and gangs have the same hashes.
#ifndef PHALANX_TEST_PROPERTY_ORDER_H_
#define PHALANX_TEST_PROPERTY_ORDER_H_

#include <cstdint>

namespace phalanx::test {

// `crowds` random crowds with seeds from `first` on, each told in one order and then in two others.
// A difference is a failure of the running test, and so is a campaign in which next to nothing is
// admitted, or waits.
void ExpectOrderDecidesNothing(uint32_t first, uint32_t crowds);

// PT-09: three of so many nodes offer a resource; a gang of three that asks for it gets them, in
// whatever order the nodes arrive, and the hashes are the same.
void ExpectARareResourceIsFound(int nodes, int orders);

}  // namespace phalanx::test

#endif  // PHALANX_TEST_PROPERTY_ORDER_H_
