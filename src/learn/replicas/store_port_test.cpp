#include "replicas/store_port.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/files.h"
#include "launch/children.h"
#include "replicas/store_texts.h"

namespace qanat {
namespace {

in6_addr mapped(std::uint32_t v4) {  // in network order
  in6_addr address{};
  address.s6_addr[10] = address.s6_addr[11] = 0xFF;
  std::memcpy(&address.s6_addr[12], &v4, sizeof(v4));
  return address;
}

// An address by which others can reach this machine; absent: it has no network.
std::optional<std::uint32_t> outside_address() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) {
    return std::nullopt;
  }
  std::optional<std::uint32_t> found;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next) {
    if (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET) {
      const std::uint32_t address =
          reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr;
      if ((ntohl(address) >> 24U) != IN_LOOPBACKNET) {
        found = address;
      }
    }
  }
  ::freeifaddrs(all);
  return found;
}

// On all addresses of both kinds, as c10d does.
class OpenServer {
 public:
  OpenServer() : socket_(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int off = 0;
    ::setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    is_open_ = ::bind(socket_.get(), generic, size) == 0 && ::listen(socket_.get(), 4) == 0 &&
               ::getsockname(socket_.get(), generic, &size) == 0;
    port_ = ntohs(address.sin6_port);
  }
  bool is_open() const { return is_open_; }
  int port() const { return port_; }

 private:
  UniqueFd socket_;
  bool is_open_ = false;
  int port_ = 0;
};

// Whether a connection comes about within a moment; what is filtered is not even refused.
bool can_connect(const in6_addr& to, int port) {
  const UniqueFd client(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = to;
  address.sin6_port = htons(static_cast<in_port_t>(port));
  if (::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    return true;
  }
  pollfd waits{.fd = client.get(), .events = POLLOUT, .revents = 0};
  constexpr int kMoment = 500;  // ms; a connection on one machine takes less than one
  int error = 0;
  socklen_t size = sizeof(error);
  return ::poll(&waits, 1, kMoment) == 1 &&
         ::getsockopt(client.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

class LoopbackOnlyTest : public testing::Test {
 protected:
  void SetUp() override {
    outside_ = outside_address();
    if (!outside_) {
      GTEST_SKIP() << "this machine has no other address";
    }
  }

  std::optional<std::uint32_t> outside_;
};

TEST_F(LoopbackOnlyTest, OthersDoNotReachWhatListensEverywhere) {
  const OpenServer server;
  ASSERT_TRUE(server.is_open());
  ASSERT_TRUE(can_connect(mapped(*outside_), server.port()));

  ASSERT_TRUE(listen_on_loopback_only(server.port()));

  EXPECT_FALSE(can_connect(mapped(*outside_), server.port()));
  EXPECT_TRUE(can_connect(mapped(htonl(INADDR_LOOPBACK)), server.port()));
  EXPECT_TRUE(can_connect(in6addr_loopback, server.port()));
}

TEST_F(LoopbackOnlyTest, TheStoreOfProcessesOfOneMachineIsForThisMachine) {
  int port = 0;
  {
    const OpenServer free;
    port = free.port();
  }
  const StorePointer store =
      connect_store({.rank = 0, .world = 1, .address = "127.0.0.1", .port = port},
                    Seconds(5),
                    StoreRole::first_of_process);

  store->set("a", std::vector<std::uint8_t>{1});

  EXPECT_TRUE(store->check({"a"}));
  EXPECT_FALSE(can_connect(mapped(*outside_), port));
}

UniqueFd connect_to(int port) {
  UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<in_port_t>(port));
  EXPECT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return client;
}

// The store has one thread, which reads a request to its end before it looks at the next.
TEST(StrangerTest, WhoSendsHalfARequestDoesNotKeepTheStoreFromOthers) {
  const int port = free_port();
  const ReplicaPlace place{.rank = 0, .world = 2, .address = "127.0.0.1", .port = port};
  const StorePointer store = connect_store(place, Seconds(5), StoreRole::first_of_process);
  std::vector<UniqueFd> strangers;
  for (const std::size_t bytes : {1U, 5U, 9U, 12U}) {  // within a kind, a length, a name
    constexpr std::array<char, 12> kZeros{};
    strangers.push_back(connect_to(port));
    ASSERT_EQ(::send(strangers.back().get(), kZeros.data(), bytes, MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes));
  }

  // Each request is a turn of the store's thread, in which it also takes what others have sent.
  std::future<bool> answered = std::async(std::launch::async, [&] {
    bool is_there = true;
    for (int turn = 0; turn < 100; ++turn) {
      const std::string name = "sign/" + std::to_string(turn);
      store->set(name, std::vector<std::uint8_t>{1});
      is_there = is_there && store->check({name});
    }
    return is_there;
  });
  const std::future_status in_time = answered.wait_for(std::chrono::seconds(60));
  strangers.clear();  // the store goes on, where it waited for them

  EXPECT_EQ(in_time, std::future_status::ready);
  EXPECT_TRUE(answered.get());
}

TEST(StrangerTest, WhoDoesNotKnowTheSecretFindsNothing) {
  const ReplicaPlace place{
      .rank = 0, .world = 2, .address = "127.0.0.1", .port = free_port(), .secret = "of this run"};
  const StorePointer store = connect_store(place, Seconds(5), StoreRole::first_of_process);
  ReplicaPlace strange = place;
  strange.secret = "a guess";
  const StorePointer stranger = connect_store(strange, Seconds(5), StoreRole::another);

  stranger->set("failed", std::vector<std::uint8_t>{1});

  EXPECT_FALSE(store->check({"failed"}));
  store->set("failed", std::vector<std::uint8_t>{2});
  EXPECT_EQ(stranger->get("failed"), std::vector<std::uint8_t>{1});
}

TEST(LoopbackTest, IsKnownByItsAddresses) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("localhost"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("node1"));
  EXPECT_FALSE(is_loopback("192.0.2.2"));
}

TEST(LoopbackTest, APortThatNobodyListensOnCannotBeKept) {
  EXPECT_FALSE(listen_on_loopback_only(1));
  EXPECT_FALSE(bound_requests(1));
}

}  // namespace
}  // namespace qanat
