// The queues that are declared, as a tree, and what the gangs in each take.
//
//   (top)
//     ├── research ── vision, language        gangs wait in the leaves: vision, language, serving,
//     ├── serving                             and in the queue without a name, which is always
//     └── ""                                  there, for gangs that name none
//
// A queue whose parent is not there, or that is below itself, hangs nowhere: no gang starts in it
// until that is put right. What is charged to a name stays charged, whatever is declared.
//
// Costs: Charge and FirstOver O(depth), Declare O(queues x log).
// Thread rule: one writer.
#ifndef PHALANX_CORE_ORDER_QUEUE_TREE_H_
#define PHALANX_CORE_ORDER_QUEUE_TREE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phalanx/objects.h"

namespace phalanx {

class QueueTree {
 public:
  struct Queue {
    std::string name;
    DeclaredQueue says;
    size_t parent = 0;  // index into queues()
    bool leaf = true;
    int64_t devices = 0;  // that gangs of it, and below it, take
  };

  QueueTree() { Declare({}); }

  // These are all. What is charged stays.
  void Declare(const std::map<std::string, DeclaredQueue>& declared);
  // Devices of a gang of the queue were taken, or (negative) given back.
  void Charge(const std::string& queue, int64_t devices);

  // Parents before their children; [0] is the top, which nobody declares.
  const std::vector<Queue>& queues() const { return queues_; }
  // nullptr: it is not declared, or hangs nowhere.
  const Queue* Find(std::string_view name) const;
  // The queue itself, then what is above it, without the top. Empty: as Find().
  std::vector<const Queue*> PathUp(std::string_view name) const;
  // The first queue on that path whose limit has no room for as many devices; nullptr if all have.
  const Queue* FirstOver(std::string_view name, int64_t devices) const;

  // Whether any queue has a limit.
  bool limited() const { return limited_; }

  // What is charged to each name, zeros left out.
  const std::map<std::string, int64_t, std::less<>>& charged() const { return charged_; }

 private:
  void AddToPath(size_t queue, int64_t devices);

  std::vector<Queue> queues_;
  std::map<std::string, size_t, std::less<>> index_;
  std::map<std::string, int64_t, std::less<>> charged_;
  bool limited_ = false;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ORDER_QUEUE_TREE_H_
