// How long one placement takes, and how much work it is.
//
// Each gang case places one gang in many random half-full clusters (fixed seed) and reports the
// 99th percentile of the time of one Place(). Time is that of the thread on the processor, so that
// other load on the machine does not count as a wait. `scan_*` reads what is free on every host and
// searches nothing: the yardstick that the other cases are divided by. Between two calls the usage
// of all hosts changes, so that both read every host again; `*_steady` and `refuse` show what is
// left when few or no hosts changed, as between two plans in production.
//
//     counters   p50_ms p99_ms   one call
//                work            work units, the largest of all clusters
//                worlds fits     clusters, and how many of them had room
//     label      baseline=CASE hash=... proven=...   the weakest proof; the hash is over all
//                answers, not over the work, and the same in each run
//
// With PHALANX_BENCH_TINY set, clusters are small and few: a test that the program still works.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/cluster/cluster.h"
#include "core/explain/reason_text.h"
#include "core/place/fragmentation.h"
#include "core/place/free_slots.h"
#include "core/place/placement.h"

namespace phalanx {
namespace {

constexpr char kGpu[] = "nvidia.com/gpu";
constexpr int64_t kGpusPerHost = 8;
constexpr uint64_t kSeed = 20261130;

bool Tiny() { return std::getenv("PHALANX_BENCH_TINY") != nullptr; }

double ThreadMilliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Hosts of one zone, spine, leaf: how many of each there are in the next coarser one.
struct Size {
  int zones, spines, leaves, hosts;

  int Hosts() const { return zones * spines * leaves * hosts; }
};
constexpr Size k5000{4, 8, 10, 16};      // 5,120 hosts
constexpr Size k100000{14, 32, 14, 16};  // 100,352 hosts
constexpr Size kTiny{2, 2, 2, 4};

Size Scaled(const Size& size) { return Tiny() ? kTiny : size; }

std::vector<NodeObject> MakeNodes(const Size& size) {
  std::vector<NodeObject> nodes;
  const int hosts = size.Hosts();
  for (int i = 0; i < hosts; ++i) {
    const int leaf = i / size.hosts;
    const int spine = leaf / size.leaves;
    NodeObject node;
    node.name = fmt::format("node-{:06}", i);
    node.uid = "uid-" + node.name;
    node.labels = {{"topology.kubernetes.io/zone", fmt::format("zone-{:02}", spine / size.spines)},
                   {"fabric.topograph.run/tier-1", fmt::format("spine-{:04}", spine)},
                   {"fabric.topograph.run/tier-0", fmt::format("leaf-{:05}", leaf)},
                   {"nvidia.com/gpu.clique", fmt::format("rack-{:05}.0", leaf)}};
    node.allocatable = {{kGpu, kGpusPerHost}, {"cpu", 96'000}, {"pods", 110}};
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::unique_ptr<Cluster> MakeCluster(const Size& size) {
  auto cluster = std::make_unique<Cluster>();
  for (const NodeObject& node : MakeNodes(size)) cluster->UpsertNode(node);
  cluster->RefreshTopology();
  return cluster;
}

enum class Use { kWholeHosts, kSingleDevices };

// Half of the devices are in use: half of the hosts wholly, or each host by 0 to 8. Usage changes
// on `most` hosts taken at random, 0: on all.
void Fill(Cluster& cluster, Use use, std::mt19937_64& random, uint32_t most = 0) {
  const auto hosts = static_cast<uint32_t>(cluster.topology().hosts().size());
  for (uint32_t n = 0; n < (most == 0 ? hosts : most); ++n) {
    const uint32_t i = most == 0 ? n : static_cast<uint32_t>(random() % hosts);
    const int64_t used = use == Use::kWholeHosts
                             ? static_cast<int64_t>(random() % 2) * kGpusPerHost
                             : static_cast<int64_t>(random() % (kGpusPerHost + 1));
    const QuantityMap amount = {{kGpu, used}};
    cluster.ledger().Book(PodId(i), cluster.topology().hosts()[i].node, BookingKind::kBound,
                          Resources::From(amount, cluster.resources()));
  }
}

void AddTo(const PlacementAnswer& answer, Hash& hash) {
  if (const Placement* placement = answer.placement()) {
    for (const SlotsOnHost& slot : placement->slots) hash.Add(slot.host.value()).Add(slot.count);
    for (const int32_t touched : placement->touched) hash.Add(touched);
    hash.Add(placement->proven);
  } else {
    hash.Add(answer.refusal()->code).Add(answer.refusal()->have);
  }
}

// What many placements of one case came to.
class Tally {
 public:
  // `proofs`: the calls are searches, whose proofs are worth a report.
  explicit Tally(bool proofs = true) : proofs_(proofs) {}

  // Times one call; its time is the iteration's.
  void Run(benchmark::State& state, const std::function<PlacementAnswer()>& place) {
    const double start = ThreadMilliseconds();
    const PlacementAnswer answer = place();
    times_.push_back(ThreadMilliseconds() - start);
    state.SetIterationTime(times_.back() / 1e3);
    AddTo(answer, hash_);
    work_ = std::max(work_, answer.work_units);
    fits_ += answer.placement() != nullptr;
    const ProvenThrough proven =
        answer.placement() != nullptr ? answer.placement()->proven : answer.refusal()->proven;
    weakest_ = std::min(weakest_, proven);
  }

  void Report(benchmark::State& state, const std::string& baseline) {
    std::sort(times_.begin(), times_.end());
    state.counters["p50_ms"] = At(50);
    state.counters["p99_ms"] = At(99);
    state.counters["work"] = static_cast<double>(work_);
    state.counters["worlds"] = static_cast<double>(times_.size());
    state.counters["fits"] = static_cast<double>(fits_);
    std::string label = fmt::format("baseline={} hash={:016x}", baseline, hash_.Done());
    if (proofs_) label += fmt::format(" proven={}", ProvenName(weakest_));
    state.SetLabel(label);
  }

 private:
  // The least time that `percent` of all calls stay within.
  double At(size_t percent) const {
    const size_t rank = (times_.size() * percent + 99) / 100;
    return times_[std::max<size_t>(rank, 1) - 1];
  }

  const bool proofs_;
  std::vector<double> times_;
  Hash hash_;
  int64_t work_ = 0;
  int fits_ = 0;
  ProvenThrough weakest_ = ProvenThrough::kAll;
};

struct GangCase {
  Size size;
  int32_t members;
  int64_t gpus;
  Use use;
  const char* baseline;
  bool steady = false;  // usage changes on 64 hosts only
  Segment segment = {};
  bool mix = false;  // of what waits and comes, a mix is known
};

// Members of 1 to 8 devices, gangs of two hosts, of a leaf and of four leaves.
Mix TypicalMix(Cluster& cluster) {
  Mix mix;
  const ResourceId gpu = cluster.resources().Intern(kGpu);
  for (const int64_t gpus : {1, 2, 4, 8}) {
    Shape shape;
    shape.request = Resources::From({{kGpu, gpus}, {"cpu", gpus * 8'000}}, cluster.resources());
    mix.shapes.push_back({cluster.shapes().Intern(std::move(shape)), gpu, 9 - gpus});
  }
  for (const int64_t hosts : {2, 16, 64}) mix.gangs.push_back({gpu, hosts * kGpusPerHost, 1});
  return mix;
}

PlacementRequest Request(Cluster& cluster, int32_t members, int64_t gpus,
                         const Segment& segment = {}) {
  Shape shape;
  shape.segment = segment;
  const QuantityMap amount = {{kGpu, gpus}, {"cpu", 1'000}, {"pods", 1}};
  shape.request = Resources::From(amount, cluster.resources());
  PlacementRequest request;
  request.roles = {{cluster.shapes().Intern(std::move(shape)), members}};
  return request;
}

// One cluster per iteration.
void PlaceGang(benchmark::State& state, const GangCase& gang) {
  const auto cluster = MakeCluster(Scaled(gang.size));
  const int32_t members =
      Tiny() ? static_cast<int32_t>(7 * kGpusPerHost / gang.gpus) : gang.members;
  PlacementRequest request = Request(*cluster, members, gang.gpus, gang.segment);
  Fragmentation fragmentation;
  if (gang.mix) {
    fragmentation.SetMix(*cluster, TypicalMix(*cluster));
    request.fragmentation = &fragmentation;
  }
  std::mt19937_64 random(kSeed);
  Tally tally;
  if (gang.steady) {
    Fill(*cluster, gang.use, random);
    Place(*cluster, request);
  }
  for (auto _ : state) {
    Fill(*cluster, gang.use, random, gang.steady ? 64 : 0);
    tally.Run(state, [&] { return Place(*cluster, request); });
  }
  tally.Report(state, gang.baseline);
}

// The largest gang of whole hosts, in one leaf: it can never fit.
void Refuse(benchmark::State& state) {
  const auto cluster = MakeCluster(Scaled(k100000));
  std::mt19937_64 random(kSeed);
  Fill(*cluster, Use::kWholeHosts, random);
  const auto hosts = static_cast<int32_t>(cluster->topology().hosts().size());
  const PlacementRequest request =
      Request(*cluster, std::min<int32_t>(hosts + 1, kMaxGangSize), kGpusPerHost);
  PlacementRequest required = request;
  required.required_level = "leaf";
  Tally tally;
  Place(*cluster, required);  // the shape is in use
  for (auto _ : state) tally.Run(state, [&] { return Place(*cluster, required); });
  tally.Report(state, "scan_nodes100000_ms");
}

void Scan(benchmark::State& state, const Size& size) {
  const auto cluster = MakeCluster(Scaled(size));
  std::mt19937_64 random(kSeed);
  const PlacementRequest request = Request(*cluster, 512, kGpusPerHost);
  Tally tally(/*proofs=*/false);
  for (auto _ : state) {
    Fill(*cluster, Use::kWholeHosts, random);
    tally.Run(state, [&] {
      const SlotTree slots = FreeSlots(*cluster, request, request.roles[0].shape);
      PlacementAnswer answer{Reason(), ShapeId::None(), static_cast<int64_t>(slots.hosts())};
      std::get<Reason>(answer.result).have = slots.Sum();
      return answer;
    });
  }
  tally.Report(state, size.Hosts() == k5000.Hosts() ? "scan_nodes5000_ms" : "scan_nodes100000_ms");
}

// Reading all labels into a topology, and what it takes of the heap.
void BuildAll(benchmark::State& state) {
  const std::vector<NodeObject> nodes = MakeNodes(Scaled(k100000));
  std::vector<TopologyInput> inputs;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    inputs.push_back({NodeId(i), nodes[i].name, &nodes[i].labels});
  }
  Tally tally(/*proofs=*/false);
  for (auto _ : state) {
    tally.Run(state, [&] {
      const size_t before = mallinfo2().uordblks;
      const auto topology = BuildTopology(inputs, 1);
      state.counters["mib"] = static_cast<double>(mallinfo2().uordblks - before) / (1 << 20);
      PlacementAnswer answer{Reason(), ShapeId::None(),
                             static_cast<int64_t>(topology->domains().size())};
      std::get<Reason>(answer.result).have = static_cast<int64_t>(topology->hosts().size());
      return answer;
    });
  }
  tally.Report(state, "topology_100k_mib");
}

void Register(const std::string& name, int worlds, std::function<void(benchmark::State&)> run) {
  benchmark::RegisterBenchmark(name.c_str(), std::move(run))
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(Tiny() ? 2 : worlds);
}

void RegisterGang(const std::string& name, int worlds, const GangCase& gang) {
  Register(name, worlds, [gang](benchmark::State& state) { PlaceGang(state, gang); });
}

const bool kRegistered = [] {
  Register("scan_nodes5000_ms", 300, [](benchmark::State& state) { Scan(state, k5000); });
  Register("scan_nodes100000_ms", 20, [](benchmark::State& state) { Scan(state, k100000); });
  RegisterGang("gang512_nodes5000_p99_ms", 300,
               {k5000, 512, 8, Use::kWholeHosts, "scan_nodes5000_ms"});
  RegisterGang("gang512_1gpu_nodes5000_p99_ms", 300,
               {k5000, 512, 1, Use::kSingleDevices, "scan_nodes5000_ms"});
  RegisterGang("gang512_steady_nodes5000_p99_ms", 300,
               {k5000, 512, 8, Use::kWholeHosts, "scan_nodes5000_ms", true});
  RegisterGang(
      "gang512_segments_nodes5000_p99_ms", 300,
      {k5000, 512, 8, Use::kWholeHosts, "scan_nodes5000_ms", false, {4, "leaf", "nvlink"}});
  RegisterGang(
      "gang512_mix_nodes5000_p99_ms", 300,
      {k5000, 512, 8, Use::kWholeHosts, "gang512_steady_nodes5000_p99_ms", true, {}, true});
  RegisterGang("gang512_1gpu_mix_nodes5000_p99_ms", 300,
               {k5000, 512, 1, Use::kSingleDevices, "scan_nodes5000_ms", true, {}, true});
  RegisterGang("gang4096_nodes100000_ms", 20,
               {k100000, 4096, 8, Use::kWholeHosts, "scan_nodes100000_ms"});
  RegisterGang("gang4096_steady_nodes100000_ms", 20,
               {k100000, 4096, 8, Use::kWholeHosts, "scan_nodes100000_ms", true});
  RegisterGang("gang4096_1gpu_nodes100000_ms", 20,
               {k100000, 4096, 1, Use::kSingleDevices, "scan_nodes100000_ms"});
  Register("refuse_us", 20, Refuse);
  Register("topology_100k_mib", 5, BuildAll);
  return true;
}();

}  // namespace
}  // namespace phalanx
