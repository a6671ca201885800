// Objects that lie elsewhere, read by range: over HTTP, and in S3.
//
// What may pass is tried again: a server that does not answer, cuts off, or is overloaded. What may
// not, or has not passed in time, ends the run: a row that the network lost is not a damaged one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "archive/random_access.h"
#include "base/time.h"
#include "store/aws_settings.h"
#include "store/http_head.h"
#include "store/request_limits.h"

namespace qanat {

struct StoreOptions {
  Seconds timeout{120};      // after which a read that keeps failing ends the run
  Seconds open_timeout{20};  // the same, of the first one of an object
  Seconds first_pause{0.2};  // before the second attempt; twice as long before each one after it
  Seconds max_pause{10};
  RequestLimits http{};
  AwsSettings aws{};
  std::stop_token stop{};

  // The rest as the environment has it.
  static StoreOptions of_environment(Seconds timeout, std::stop_token stop);
};

class HttpClient;
struct RangeAnswer;
struct RangeRequest;

// What was asked for, in all.
struct StoreTraffic {
  std::int64_t requests = 0;
  std::int64_t repeated = 0;  // of these, because one before failed
  Bytes received{};           // bodies, whether or not they were of use
};

// Thread-safe. Whoever reads its objects keeps it.
class Store {
 public:
  // Throws Error without libcurl.
  explicit Store(StoreOptions options);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  // Asks which version is there. Throws Error when nobody answers, or there is none.
  ObjectVersion open(std::string_view url);
  // Fills `out` from `first` on. Throws Error when that version cannot be read.
  void read(std::string_view url,
            const ObjectVersion& version,
            std::int64_t first,
            std::span<std::byte> out);

  StoreTraffic traffic() const;

 private:
  RangeAnswer fetch(std::string_view url,
                    const ByteRange& range,
                    const ObjectVersion* known,
                    std::span<std::byte> out);
  RangeAnswer try_once(std::string_view url,
                       const ByteRange& range,
                       const ObjectVersion* known,
                       std::span<std::byte> out);
  RangeRequest request_for(std::string_view url, const ByteRange& range) const;
  Seconds pause_after(int attempt, std::optional<Seconds> asked) const;

  const StoreOptions options_;
  const std::unique_ptr<HttpClient> client_;
  std::atomic<std::int64_t> requests_ = 0;
  std::atomic<std::int64_t> repeated_ = 0;
  std::atomic<std::int64_t> received_ = 0;
};

// One version of an object. read() throws Error where the store gives nothing.
class StoredObject final : public RandomAccess {
 public:
  // The same Error as Store::open().
  static std::shared_ptr<const StoredObject> open(std::shared_ptr<Store> store, std::string url);

  Bytes size() const override { return version_.size; }
  Result<Done> read(Bytes offset, std::span<std::byte> out) const override;

  // Tells versions apart.
  FileIdentity identity() const;
  // Tells versions of all objects apart: what is kept of one belongs to no other.
  std::uint64_t version_hash() const;
  const ObjectVersion& version() const { return version_; }
  const std::string& url() const { return url_; }

  StoredObject(std::shared_ptr<Store> store, std::string url, ObjectVersion version)
      : store_(std::move(store)), url_(std::move(url)), version_(std::move(version)) {}

 private:
  const std::shared_ptr<Store> store_;  // shared by the objects in it
  const std::string url_;
  const ObjectVersion version_;
};

}  // namespace qanat
