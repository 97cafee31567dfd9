#include "service/cluster_service.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "service/log.h"

namespace phalanx::service {
namespace {

const grpc::Status& GoingAway() {
  static const grpc::Status status(grpc::StatusCode::UNAVAILABLE, "phalanxd is going away");
  return status;
}

int64_t WallSeconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

ClusterServiceImpl::ClusterServiceImpl(runtime::Brain& brain, ServiceCounters& counters,
                                       const Settings& settings, std::string epoch_path)
    : brain_(brain), counters_(counters), settings_(settings), epochs_(std::move(epoch_path)) {
  if (!epochs_.error().empty()) LogWarning("last epoch not read", {{"error", epochs_.error()}});
}

grpc::ServerBidiReactor<pb::SyncRequest, pb::SyncResponse>* ClusterServiceImpl::Sync(
    grpc::CallbackServerContext* /*context*/) {
  auto session = std::make_shared<SyncSession>(*this, brain_, counters_, settings_);
  bool draining;
  {
    std::lock_guard lock(sessions_mutex_);
    draining = draining_;
    sessions_.push_back(session);
  }
  session->Start();
  if (draining) session->Close(GoingAway());
  return session.get();
}

void ClusterServiceImpl::Drain() {
  std::vector<std::weak_ptr<SyncSession>> sessions;
  {
    std::lock_guard lock(sessions_mutex_);
    draining_ = true;
    sessions = sessions_;
  }
  for (const auto& weak : sessions) {
    if (auto session = weak.lock()) session->Close(GoingAway());
  }
}

void ClusterServiceImpl::Welcome(std::shared_ptr<SyncSession> session, const pb::Hello& hello) {
  std::lock_guard hello_lock(hello_mutex_);
  uint64_t epoch = epochs_.Next(WallSeconds());
  if (!epochs_.error().empty()) LogWarning("epoch not kept", {{"error", epochs_.error()}});
  std::shared_ptr<SyncSession> before;
  {
    std::lock_guard lock(sessions_mutex_);
    before = current_.lock();
    current_ = session;
  }
  ++counters_.sessions;
  session->Accept(epoch, hello);
  brain_.Connect(epoch, hello.adapter_id(), session);
  session->Begin();
  LogInfo("adapter connected", {{"adapter", hello.adapter_id()},
                                {"adapter_version", hello.adapter_version()},
                                {"kubernetes_version", hello.kubernetes_version()},
                                {"epoch", fmt::format("{}", epoch)}});
  if (!before) return;
  before->Close({grpc::StatusCode::ABORTED,
                 fmt::format("adapter '{}' said hello with epoch {}; this stream was epoch {}",
                             hello.adapter_id(), epoch, before->epoch())});
}

void ClusterServiceImpl::Gone(SyncSession* session) {
  if (session->epoch() != 0) {
    LogInfo("adapter gone",
            {{"adapter", session->adapter_id()}, {"epoch", fmt::format("{}", session->epoch())}});
  }
  std::lock_guard lock(sessions_mutex_);
  std::erase_if(sessions_, [session](const std::weak_ptr<SyncSession>& weak) {
    std::shared_ptr<SyncSession> alive = weak.lock();
    return !alive || alive.get() == session;
  });
}

}  // namespace phalanx::service
