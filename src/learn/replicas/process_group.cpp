#include "replicas/process_group.h"

#include <array>
#include <climits>

#include <unistd.h>

namespace qanat {
namespace {

// A single process has nothing to wait for.
class NoExchange : public Exchange {
 public:
  void wait() override {}
  std::optional<Seconds> took() const override { return std::nullopt; }
};

}  // namespace

std::string SingleProcess::host(int /*rank*/) const {
  return host_name();
}

std::unique_ptr<Exchange> SingleProcess::start_all_reduce(const torch::Tensor& /*values*/,
                                                          const Sending& /*sending*/) {
  return std::make_unique<NoExchange>();
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace qanat
