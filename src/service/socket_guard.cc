#include "service/socket_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "service/settings.h"

namespace phalanx::service {
namespace {

absl::Status SystemError(const char* what, const std::string& path) {
  return absl::InternalError(fmt::format("{} '{}': {}", what, path, std::strerror(errno)));
}

// Makes the folder with 0700; its parents with the usual rights.
absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return absl::OkStatus();
  return SystemError("can not make the folder", folder);
}

std::string CheckRights(const std::string& folder) {
  struct stat info;
  if (::stat(folder.c_str(), &info) != 0 || (info.st_mode & 077) == 0) return "";
  return fmt::format("folder '{}' has mode {:04o}, expected 0700: others may reach the socket",
                     folder, info.st_mode & 07777);
}

std::string HolderOf(int lock_fd) {
  std::array<char, 32> text{};
  ssize_t size = ::pread(lock_fd, text.data(), text.size() - 1, 0);
  std::string pid(text.data(), size > 0 ? size : 0);
  return pid.empty() ? "unknown" : pid.substr(0, pid.find('\n'));
}

absl::StatusOr<int> Lock(const std::string& lock_path) {
  int fd = ::open(lock_path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return SystemError("can not open the lock file", lock_path);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    absl::Status status = errno == EWOULDBLOCK
                              ? absl::FailedPreconditionError(fmt::format(
                                    "another phalanxd (pid {}) holds '{}'; it is left alone",
                                    HolderOf(fd), lock_path))
                              : SystemError("can not lock", lock_path);
    ::close(fd);
    return status;
  }
  std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    absl::Status status = SystemError("can not write the lock file", lock_path);
    ::close(fd);
    return status;
  }
  return fd;
}

// REQUIRES: the lock is held.
absl::Status RemoveStale(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? absl::OkStatus() : SystemError("can not look at", path);
  }
  if (!S_ISSOCK(info.st_mode)) {
    return absl::FailedPreconditionError(
        fmt::format("'{}' is no socket, expected nothing or a stale socket", path));
  }
  return ::unlink(path.c_str()) == 0 ? absl::OkStatus() : SystemError("can not remove", path);
}

}  // namespace

absl::StatusOr<std::unique_ptr<SocketGuard>> SocketGuard::Acquire(const std::string& path) {
  if (path.size() > kMaxSocketPath) {
    return absl::InvalidArgumentError(fmt::format(
        "socket path '{}' has {} bytes, expected at most {}", path, path.size(), kMaxSocketPath));
  }
  std::string folder = std::filesystem::path(path).parent_path().string();
  absl::Status made = MakeFolder(folder);
  if (!made.ok()) return made;
  absl::StatusOr<int> lock = Lock(path + ".lock");
  if (!lock.ok()) return lock.status();
  absl::Status removed = RemoveStale(path);
  if (!removed.ok()) {
    ::close(*lock);
    return removed;
  }
  std::unique_ptr<SocketGuard> guard(new SocketGuard(path, *lock));
  guard->warning_ = CheckRights(folder);
  return guard;
}

SocketGuard::~SocketGuard() {
  ::unlink(path_.c_str());
  ::close(lock_fd_);
}

}  // namespace phalanx::service
