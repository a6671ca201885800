#include "replicas/join_group.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "locale/messages/devices.h"
#include "replicas/backend.h"
#include "replicas/c10d_errors.h"
#include "replicas/heartbeat.h"
#include "replicas/store_gather.h"
#include "replicas/store_listener.h"
#include "replicas/store_texts.h"

namespace qanat {
namespace {

// Signs of life connect again after a failed call. When rank 0 is gone that has to fail soon, so
// that it is named in time; a store that is only slow is asked again with the next sign.
constexpr Seconds kReconnectTimeout{3};

std::vector<std::string> names_by_rank(const std::string& what, int world) {
  std::vector<std::string> names;
  for (int rank = 0; rank < world; ++rank) {
    names.push_back(fmt::format("{}/{}", what, rank));
  }
  return names;
}

// In tries that are short, because a stop does not end them.
StorePointer meet_at_store(const JoinOptions& options) {
  constexpr Seconds kTry{5};
  const Clock::time_point begin = Clock::now();
  while (true) {
    try {
      const Seconds left = options.start_timeout - seconds_since(begin);
      return connect_store(options.place, std::min(kTry, left), StoreRole::first_of_process);
    } catch (const MessageError&) {
      if (options.stop.stop_requested()) {
        throw MessageError(msg::replicas_stopped{});
      }
      if (options.place.rank == 0 || seconds_since(begin) >= options.start_timeout) {
        throw;
      }
    }
  }
}

// Another connection to the store each time.
std::function<StorePointer()> connection(const JoinOptions& options, StoreRole role) {
  const Seconds timeout = std::min(options.timeout / 2, kReconnectTimeout);
  return [place = options.place, timeout, role] { return connect_store(place, timeout, role); };
}

// What a process says of itself when it comes.
struct Introduction {
  std::string host;
  int world = 1;
  std::string backend;  // that carries its gradients
};

std::string to_text(const Introduction& own) {
  return nlohmann::json{{"host", own.host}, {"world", own.world}, {"backend", own.backend}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Introduction to_introduction(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? Introduction{.host = json.value("host", ""),
                                         .world = json.value("world", 0),
                                         .backend = json.value("backend", "")}
                          : Introduction{};
}

// Introduces itself in the store and waits for the others.
class Meeting {
 public:
  Meeting(StorePointer store, const JoinOptions& options, std::function<StorePointer()> connect)
      : texts_([store = std::move(store)] { return store; }),
        listener_(std::move(connect)),
        options_(options) {}

  std::vector<std::string> hosts() {
    const std::vector<std::string> names = names_by_rank("host", options_.place.world);
    texts_.set(names[static_cast<std::size_t>(options_.place.rank)], to_text(own_));
    const Clock::time_point begin = Clock::now();
    for (const std::string& name : names) {
      while (!comes(name)) {
        if (options_.stop.stop_requested()) {
          throw MessageError(msg::replicas_stopped{});
        }
        if (seconds_since(begin) > options_.start_timeout) {
          throw_missing(names);
        }
        compare(names);  // who has another number waits for others
      }
    }
    return compare(names);
  }

 private:
  static constexpr Seconds kLingerTimeout{3};  // for those who have not read it yet

  // False after a while.
  bool comes(const std::string& name) {
    const auto is_there = [&name](c10d::Store& store) {
      store.wait({name});
      return true;
    };
    return listener_.in_time(is_there).value_or(false);
  }

  // The hosts of those who have come. Throws MessageError when one was told something else.
  std::vector<std::string> compare(const std::vector<std::string>& names) {
    std::vector<std::string> hosts;
    for (std::size_t rank = 0; rank < names.size(); ++rank) {
      const std::optional<std::string> text = texts_.get(names[rank]);
      if (!text) {
        continue;
      }
      const Introduction other = to_introduction(*text);
      if (other.world != own_.world) {
        refuse(msg::replicas_other_world{
            .rank = rank, .host = other.host, .theirs = other.world, .ours = own_.world});
      }
      if (other.backend != own_.backend) {
        refuse(msg::replicas_other_backend{
            .rank = rank, .host = other.host, .theirs = other.backend, .ours = own_.backend});
      }
      hosts.push_back(other.host);
    }
    return hosts;
  }

  // Rank 0 serves the store, where the others read why they cannot go on either.
  [[noreturn]] void refuse(const Message& why) {
    if (options_.place.rank == 0) {
      const Clock::time_point begin = Clock::now();
      while (seconds_since(begin) < kLingerTimeout && !options_.stop.stop_requested() &&
             !comes(kRefused)) {
      }
    } else {
      texts_.set(kRefused, "yes");
    }
    throw MessageError(why);
  }

  [[noreturn]] void throw_missing(const std::vector<std::string>& names) {
    std::vector<std::string> missing;
    for (std::size_t rank = 0; rank < names.size(); ++rank) {
      if (!texts_.get(names[rank])) {
        missing.push_back(std::to_string(rank));
      }
    }
    throw MessageError(msg::replicas_not_here{
        .world = options_.place.world, .ranks = missing, .timeout = options_.start_timeout});
  }

  static constexpr const char* kRefused = "refused";

  StoreTexts texts_;
  StoreListener listener_;
  const JoinOptions& options_;
  const Introduction own_{.host = host_name(),
                          .world = options_.place.world,
                          .backend = options_.on_gpu ? "nccl" : "gloo"};
};

class C10dGroup : public ProcessGroup {
 public:
  explicit C10dGroup(const JoinOptions& options)
      : place_(options.place),
        store_(meet_at_store(options)),
        gather_(connection(options, StoreRole::listener),
                {.rank = place_.rank, .world = place_.world}),
        hosts_(Meeting(store_, options, connection(options, StoreRole::listener)).hosts()),
        heartbeat_(std::make_unique<StoreTexts>(connection(options, StoreRole::another)),
                   {.rank = place_.rank, .world = place_.world, .timeout = options.timeout}) {
    try {
      connect(options);
    } catch (const std::exception& error) {
      fail(error.what());  // does nothing where another one has failed
      heartbeat_.wait_until_others_know();
      throw;
    }
  }
  C10dGroup(const C10dGroup&) = delete;
  C10dGroup& operator=(const C10dGroup&) = delete;
  ~C10dGroup() override {
    if (has_failed_) {
      heartbeat_.wait_until_others_know();
    } else {
      heartbeat_.close();  // after a failure it still ends what waits for the one that is gone
    }
  }

  ProcessRank rank() const override { return {.rank = place_.rank, .world = place_.world}; }
  std::string host(int rank) const override { return hosts_[static_cast<std::size_t>(rank)]; }
  std::string backend() const override { return data_->name(); }

  std::unique_ptr<Exchange> start_all_reduce(const torch::Tensor& values,
                                             const Sending& sending) override {
    return data_->start_all_reduce(values, sending);
  }
  void broadcast(const torch::Tensor& values) override { data_->broadcast(values); }

  std::vector<double> all_gather(std::span<const double> values) override {
    std::vector<double> all(values.size() * static_cast<std::size_t>(place_.world));
    if (control_) {
      const torch::Tensor sent =
          torch::empty(static_cast<std::int64_t>(values.size()), torch::kF64);
      std::ranges::copy(values, sent.data_ptr<double>());
      const torch::Tensor received = control_->all_gather(sent);
      std::copy_n(received.data_ptr<double>(), all.size(), all.begin());
      return all;
    }
    const std::vector<std::string> texts = gather_texts(
        std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
      std::memcpy(all.data() + rank * values.size(), texts[rank].data(), values.size_bytes());
    }
    return all;
  }

  // Through the store, which takes texts of any length.
  std::vector<std::string> gather_texts(const std::string& own) override {
    gather_.begin(own);
    std::optional<std::vector<std::string>> texts;
    wait([&] { return (texts = gather_.hear()).has_value(); });
    return *texts;
  }

  std::string share(std::string text) override {
    if (place_.rank == 0) {
      wait([&] { return gather_.share(text); });
      return text;
    }
    std::optional<std::string> heard;
    wait([&] { return (heard = gather_.shared()).has_value(); });
    return *heard;
  }

  // Rank 0 comes out last: it serves the store that the others wait at.
  void barrier() override {
    const double here = 1;
    all_gather({&here, 1});
    if (!control_) {
      gather_.begin("");
      wait([&] { return gather_.part(); });
    }
  }

  void at_step(std::int64_t step) override {
    step_ = step;
    heartbeat_.at_step(step);
  }

  void fail(std::string_view reason) noexcept override {
    if (!has_failed_) {
      heartbeat_.publish_failure(reason);
      note_failure();
    }
  }

 private:
  void connect(const JoinOptions& options) {
    const auto in_time = [this, &options, begin = Clock::now()](const auto& poll) {
      wait([&] {
        if (options.stop.stop_requested()) {
          throw MessageError(msg::replicas_stopped{});
        }
        if (seconds_since(begin) > options.start_timeout) {
          throw MessageError(
              msg::replicas_not_connected{.world = place_.world, .timeout = options.start_timeout});
        }
        return poll();
      });
    };
    const auto backend = [&](const char* name) {
      return BackendOptions{.place = place_,
                            .store = store_,
                            .name = name,
                            .connect = in_time,
                            .wait = [this](const std::function<bool()>& poll) { wait(poll); }};
    };
    control_ = options.talk_over_store ? nullptr : make_gloo(backend("control"));
    guarded(
        [&] { data_ = options.on_gpu ? make_nccl(backend("data")) : make_gloo(backend("data")); });
  }

  // Calls of c10d that fail say why in the words of a socket; who is gone says more.
  void guarded(const std::function<void()>& call) {
    wait([&] {
      call();
      return true;
    });
  }

  void wait(const std::function<bool()>& poll) {
    try {
      do {
        if (const std::optional<LostReplica> lost = heartbeat_.lost()) {
          throw_lost(*lost);
        }
      } while (!poll());
    } catch (const MessageError&) {  // it says why: nobody is missing
      throw;
    } catch (const std::exception& error) {
      const std::optional<LostReplica> lost = heartbeat_.find_lost();
      if (lost) {
        throw_lost(*lost);
      }
      note_failure();
      throw ReplicaLost(msg::replicas_broken{.step = step_.load(), .reason = first_line(error)});
    }
  }

  [[noreturn]] void throw_lost(const LostReplica& found) {
    const LostReplica lost = heartbeat_.publish(found);
    if (lost.rank == 0 && place_.rank != 0 && lost.reason.empty()) {
      shut_store_connections(place_);
    }
    note_failure();
    if (!lost.reason.empty()) {
      throw ReplicaLost(msg::replica_failed{
          .rank = lost.rank, .host = host(lost.rank), .step = lost.step, .reason = lost.reason});
    }
    throw ReplicaLost(msg::replica_silent{
        .rank = lost.rank, .host = host(lost.rank), .silence = lost.silence, .step = lost.step});
  }

  void note_failure() noexcept {
    if (has_failed_.exchange(true)) {
      return;
    }
    for (Backend* backend : {control_.get(), data_.get()}) {
      try {
        if (backend != nullptr) {
          backend->fail();
        }
      } catch (const std::exception&) {
        // It is broken already.
      }
    }
  }

  const ReplicaPlace place_;
  const StorePointer store_;
  StoreGather gather_;                    // of the host's thread
  const std::vector<std::string> hosts_;  // by rank
  Heartbeat heartbeat_;
  std::atomic<std::int64_t> step_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::unique_ptr<Backend> control_;  // of the host's thread; null: through the store
  std::unique_ptr<Backend> data_;     // of the stream's work
};

}  // namespace

void check_open_files(int world) {
  constexpr rlim_t kOwn = 96;    // data, journal, threads, libraries
  constexpr rlim_t kOfEach = 5;  // connections to another process; of rank 0: to its store, too
  const rlim_t needed = kOwn + kOfEach * static_cast<rlim_t>(world);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) {
    return;
  }
  if (limit.rlim_max >= needed) {
    limit.rlim_cur = needed;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return;
  }
  throw MessageError(
      msg::replicas_few_files{.limit = limit.rlim_cur, .world = world, .needed = needed});
}

std::unique_ptr<ProcessGroup> join_group(const JoinOptions& options) {
  if (options.place.world == 1) {
    return std::make_unique<SingleProcess>();
  }
  check_open_files(options.place.world);
  if (options.on_gpu && !has_nccl()) {
    throw MessageError(msg::replicas_no_nccl{});
  }
  if (!options.on_gpu && !has_gloo()) {
    throw MessageError(msg::replicas_no_gloo{});
  }
  return std::make_unique<C10dGroup>(options);
}

}  // namespace qanat
