#include "store/store.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <random>
#include <utility>

#include "base/content_hash.h"
#include "base/value_or_throw.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_layouts.h"
#include "locale/messages/stores.h"
#include "store/http_client.h"
#include "store/store_url.h"

namespace qanat {
namespace {

constexpr int kMaxRedirects = 5;

// True: the pause was not cut short.
bool pause(Seconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

// Half of the pause and a random part of the other half: those who failed together do not come back
// together.
Seconds with_jitter(Seconds pause) {
  std::random_device source;
  return pause * std::uniform_real_distribution<double>(0.5, 1.0)(source);
}

[[noreturn]] void throw_refused(std::string_view url, const Message& why) {
  throw MessageError(msg::set_refused{.file = url, .why = why});
}

bool is_http(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

std::string bundle_of_environment() {
  for (const char* const name : {"AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (const char* const file = std::getenv(name); file != nullptr && *file != '\0') {
      return file;
    }
  }
  return {};
}

}  // namespace

StoreOptions StoreOptions::of_environment(Seconds timeout, std::stop_token stop) {
  return {
      .timeout = timeout,
      .open_timeout = std::min(timeout, StoreOptions{}.open_timeout),
      .http = {.bundle = bundle_of_environment()},
      .aws = read_aws_settings([](const char* name) -> const char* { return std::getenv(name); }),
      .stop = std::move(stop)};
}

Store::Store(StoreOptions options)
    : options_(std::move(options)),
      client_(std::make_unique<HttpClient>(
          *value_or_throw(load_curl()), options_.http, options_.stop)) {}

Store::~Store() = default;

ObjectVersion Store::open(std::string_view url) {
  std::array<std::byte, 1> first{};
  return fetch(url, {.first = 0, .size = 1}, nullptr, first).version;
}

void Store::read(std::string_view url,
                 const ObjectVersion& version,
                 std::int64_t first,
                 std::span<std::byte> out) {
  if (!out.empty()) {
    fetch(url, {.first = first, .size = std::ssize(out)}, &version, out);
  }
}

StoreTraffic Store::traffic() const {
  return {.requests = requests_, .repeated = repeated_, .received = Bytes{received_}};
}

RangeRequest Store::request_for(std::string_view url, const ByteRange& range) const {
  const Result<StoreAddress> address = resolve_url(url, options_.aws);
  if (!address) {
    throw Error(address.failure());
  }
  RangeRequest request{.url = address.value().url, .range = range};
  if (address.value().is_signed) {
    request.uses_netrc = false;
    request.headers = sign_request({.host = address.value().host,
                                    .path = address.value().path,
                                    .region = options_.aws.region,
                                    .time = std::time(nullptr)},
                                   *options_.aws.credentials);
  }
  return request;
}

RangeAnswer Store::try_once(std::string_view url,
                            const ByteRange& range,
                            const ObjectVersion* known,
                            std::span<std::byte> out) {
  RangeRequest request = request_for(url, range);
  for (int hop = 0; hop <= kMaxRedirects; ++hop) {
    requests_.fetch_add(1);
    RangeAnswer answer = client_->fetch(request, known, out);
    received_.fetch_add(answer.received);
    if (answer.end != RangeAnswer::End::redirect) {
      return answer;
    }
    // Whoever is asked now did not get the signature, and may not be a file of this machine.
    if (!is_http(answer.location)) {
      return {.end = RangeAnswer::End::refuse, .why = msg::store_redirect{}};
    }
    request.url = answer.location;
    request.headers.clear();
  }
  return {.end = RangeAnswer::End::refuse, .why = msg::store_redirects{.count = kMaxRedirects}};
}

Seconds Store::pause_after(int attempt, std::optional<Seconds> asked) const {
  const Seconds grown = options_.first_pause * std::exp2(std::min(attempt, 20));
  return std::max(with_jitter(std::min(grown, options_.max_pause)), asked.value_or(Seconds{0}));
}

RangeAnswer Store::fetch(std::string_view url,
                         const ByteRange& range,
                         const ObjectVersion* known,
                         std::span<std::byte> out) {
  const Clock::time_point start = Clock::now();
  const Seconds timeout = known == nullptr ? options_.open_timeout : options_.timeout;
  for (int attempt = 0;; ++attempt) {
    repeated_.fetch_add(attempt > 0 ? 1 : 0);
    RangeAnswer answer = try_once(url, range, known, out);
    switch (answer.end) {
      case RangeAnswer::End::done:
      case RangeAnswer::End::empty:
        return answer;
      case RangeAnswer::End::redirect:
      case RangeAnswer::End::refuse:
        throw_refused(url, answer.why);
      case RangeAnswer::End::stopped:
        throw_refused(url, msg::store_stopped{});
      case RangeAnswer::End::again:
        break;
    }
    const Seconds wait = pause_after(attempt, answer.retry_after);
    const Seconds waited = seconds_since(start);
    if (waited + wait > timeout) {
      throw_refused(url,
                    msg::store_gave_up{.time = waited, .attempts = attempt + 1, .why = answer.why});
    }
    if (!pause(wait, options_.stop)) {
      throw_refused(url, msg::store_stopped{});
    }
  }
}

std::shared_ptr<const StoredObject> StoredObject::open(std::shared_ptr<Store> store,
                                                       std::string url) {
  ObjectVersion version = store->open(url);
  return std::make_shared<const StoredObject>(std::move(store), std::move(url), std::move(version));
}

Result<Done> StoredObject::read(Bytes offset, std::span<std::byte> out) const {
  const bool is_inside = offset.value >= 0 && offset <= version_.size &&
                         std::ssize(out) <= (version_.size - offset).value;
  if (!is_inside) {
    return to_failure(msg::container_ends{.offset = ungrouped(offset.value)});
  }
  store_->read(url_, version_, offset.value, out);
  return Done{};
}

std::uint64_t StoredObject::version_hash() const {
  return ContentHasher().add(url_).add(version_.tag).add(version_.size.value).value();
}

FileIdentity StoredObject::identity() const {
  return {.size = version_.size,
          .modified_ns = static_cast<std::int64_t>(content_hash(version_.tag))};
}

}  // namespace qanat
