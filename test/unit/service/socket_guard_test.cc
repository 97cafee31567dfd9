// Who may listen on a path: without the guard a second instance steals the socket of the first.
#include "service/socket_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "unit/service/support.h"

namespace phalanx::service {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Leaves a socket as a killed process does.
void LeaveSocket(const std::string& path) {
  int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ::close(fd);
}

TEST(SocketGuard, MakesThePrivateFolder) {
  testing::TempFolder folder;
  auto guard = SocketGuard::Acquire(folder.path("a/b/phalanxd.sock"));
  ASSERT_TRUE(guard.ok()) << guard.status();
  struct stat info;
  ASSERT_EQ(::stat(folder.path("a/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
  EXPECT_EQ((*guard)->warning(), "");
}

TEST(SocketGuard, ASecondOneFailsWithThePidAndLeavesTheSocketAlone) {
  testing::TempFolder folder;
  std::string path = folder.path("p/phalanxd.sock");
  auto first = SocketGuard::Acquire(path);
  ASSERT_TRUE(first.ok());
  LeaveSocket(path);
  auto second = SocketGuard::Acquire(path);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()),
              AllOf(HasSubstr("another phalanxd (pid " + std::to_string(::getpid()) + ")"),
                    HasSubstr(path)));
  EXPECT_TRUE(std::filesystem::exists(path));
  first->reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(SocketGuard::Acquire(path).ok());
}

TEST(SocketGuard, RemovesAStaleSocketAndNothingElse) {
  testing::TempFolder folder;
  std::string path = folder.path("phalanxd.sock");
  LeaveSocket(path);
  {
    auto guard = SocketGuard::Acquire(path);
    ASSERT_TRUE(guard.ok());
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  std::ofstream(path) << "precious";
  auto guard = SocketGuard::Acquire(path);
  EXPECT_THAT(std::string(guard.status().message()), HasSubstr("is no socket"));
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(SocketGuard, APathThatIsTooLongIsRefusedWithItsLength) {
  auto guard = SocketGuard::Acquire("/tmp/" + std::string(103, 'x'));
  EXPECT_THAT(std::string(guard.status().message()),
              AllOf(HasSubstr("has 108 bytes"), HasSubstr("at most 107")));
}

TEST(SocketGuard, AFolderThatOthersMayEnterIsWarnedOf) {
  testing::TempFolder folder;
  std::filesystem::create_directory(folder.path("open"));
  ::chmod(folder.path("open").c_str(), 0755);
  auto guard = SocketGuard::Acquire(folder.path("open/phalanxd.sock"));
  ASSERT_TRUE(guard.ok());
  EXPECT_THAT((*guard)->warning(), HasSubstr("has mode 0755, expected 0700"));
}

TEST(SocketGuard, AFolderThatCanNotBeMadeIsNamed) {
  auto guard = SocketGuard::Acquire("/proc/phalanx/phalanxd.sock");
  EXPECT_THAT(std::string(guard.status().message()), HasSubstr("'/proc/phalanx'"));
}

}  // namespace
}  // namespace phalanx::service
