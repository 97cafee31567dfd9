// The network of a recorded cluster: which host hangs below which switches.
#ifndef PHALANX_SIM_TRACE_LINGJUN_H_
#define PHALANX_SIM_TRACE_LINGJUN_H_

#include <string>
#include <vector>

namespace phalanx::sim {

// One host with the switches above it. A leaf is known by (psw, asw): names of ASWs repeat.
struct LingjunHost {
  std::string ip;  // a hash, unique
  std::string dsw;
  std::string psw;
  std::string asw;
};

struct LingjunTopology {
  std::vector<LingjunHost> hosts;  // in the order of the file
  // "FILE:LINE: 'VALUE', expected …", at most 20. Then `hosts` is empty.
  std::vector<std::string> errors;
};

// The table of the Lingjun cluster (Alibaba, 2023): a header, then `ip,DSW,PSW,ASW`. Plain or gzip.
LingjunTopology ReadLingjun(const std::string& path);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_LINGJUN_H_
