// The right to listen on a Unix socket path.
//
// gRPC binds over the socket of a live server without a word and removes it again on exit. So the
// path is guarded by a lock file beside it ("PATH.lock"), locked for the life of the guard: a
// second instance fails and leaves the path alone; a socket that a dead instance left is removed
// under the lock.
#ifndef PHALANX_SERVICE_SOCKET_GUARD_H_
#define PHALANX_SERVICE_SOCKET_GUARD_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace phalanx::service {

class SocketGuard {
 public:
  // Makes the folder of `path` (0700) if it is not there, takes the lock and removes a stale
  // socket. INVALID_ARGUMENT: the path is too long. FAILED_PRECONDITION: another instance holds it
  // (named by its pid), or something that is no socket lies there. INTERNAL: the system refused;
  // says what.
  static absl::StatusOr<std::unique_ptr<SocketGuard>> Acquire(const std::string& path);
  // Removes the socket; the lock file stays, since removing it would let two instances lock two
  // files of one name.
  ~SocketGuard();
  SocketGuard(const SocketGuard&) = delete;
  SocketGuard& operator=(const SocketGuard&) = delete;

  // Empty, or a warning about the folder's rights.
  const std::string& warning() const { return warning_; }

 private:
  SocketGuard(std::string path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::string path_;
  int lock_fd_;
  std::string warning_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_SOCKET_GUARD_H_
