#include "replicas/store_texts.h"

#include <future>
#include <stdexcept>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "base/files.h"

namespace qanat {
namespace {

// A connection that has failed: what a late answer left in it would be read by the next call.
class BrokenStore : public c10d::HashStore {
 public:
  bool check(const std::vector<std::string>& /*names*/) override {
    throw std::runtime_error("connection reset by peer");
  }
};

// Without that a process whose sign of life was lost once would be taken for dead.
TEST(StoreTextsTest, ACallAfterOneThatFailedConnectsAgain) {
  int connections = 0;
  StoreTexts texts([&]() -> StorePointer {
    return connections++ == 0 ? StorePointer(c10::make_intrusive<BrokenStore>())
                              : StorePointer(c10::make_intrusive<c10d::HashStore>());
  });

  EXPECT_THROW(texts.get("sign/1"), std::runtime_error);
  texts.set("sign/1", "7 3");

  EXPECT_EQ(texts.get("sign/1"), "7 3");
  EXPECT_EQ(connections, 2);
}

// A server that takes connections and never answers, as behind a link that was cut.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    const bool listens = ::bind(socket_.get(), generic, size) == 0 &&
                         ::listen(socket_.get(), 4) == 0 &&
                         ::getsockname(socket_.get(), generic, &size) == 0;
    EXPECT_TRUE(listens);
    port_ = ntohs(address.sin_port);
  }

  int port() const { return port_; }
  UniqueFd connect() const {
    UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return client;
  }

 private:
  UniqueFd socket_;
  int port_ = 0;
};

TEST(StoreTextsTest, ACallThatWaitsForAnAnswerCanBeEnded) {
  const SilentServer store;
  const SilentServer other;
  const UniqueFd waiting = store.connect();
  const UniqueFd untouched = other.connect();
  std::future<ssize_t> answer = std::async(std::launch::async, [&] {
    char byte = 0;
    return ::recv(waiting.get(), &byte, 1, 0);
  });

  shut_store_connections({.world = 2, .address = "127.0.0.1", .port = store.port()});

  EXPECT_LE(answer.get(), 0);
  const char byte = 1;
  EXPECT_EQ(::send(untouched.get(), &byte, 1, MSG_NOSIGNAL), 1);
}

}  // namespace
}  // namespace qanat
