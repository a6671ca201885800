#include "store/http_client.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/stores.h"

namespace qanat {
namespace {

constexpr double kSlowest = 16.0 * 1024;  // bytes per second, over a whole request
constexpr long kStallRate = 1024;         // bytes per second
constexpr long kReadBuffer = 256L * 1024;

// Fixture: one request while it runs.
class Exchange {
 public:
  Exchange(const ByteRange& asked,
           const ObjectVersion* known,
           std::span<std::byte> out,
           std::stop_token stop,
           Seconds grace)
      : asked_(asked), known_(known), out_(out), stop_(std::move(stop)), grace_(grace) {}

  // What libcurl calls; fewer bytes than it gave end the request.
  std::size_t take_head(std::string_view line) { return parser_.take(line) ? line.size() : 0; }
  std::size_t take_body(std::span<const std::byte> bytes);
  bool goes_on();

  RangeAnswer finish(CURLcode code, const CurlFunctions& curl);

 private:
  void decide() {
    if (!judgement_) {
      judgement_ = judge(parser_.head(), asked_, known_);
    }
  }
  bool is_filled() const { return judgement_ && filled_ == judgement_->take; }
  RangeAnswer judged() const;

  const ByteRange asked_;
  const ObjectVersion* const known_;
  const std::span<std::byte> out_;
  const std::stop_token stop_;
  const Seconds grace_;
  HeadParser parser_;
  std::optional<AnswerJudgement> judgement_;
  std::optional<Clock::time_point> stopped_;
  std::int64_t skipped_ = 0;
  std::int64_t filled_ = 0;
  std::int64_t received_ = 0;
  bool is_surplus_ = false;  // more came than was promised
};

std::size_t Exchange::take_body(std::span<const std::byte> bytes) {
  decide();
  received_ += std::ssize(bytes);
  if (judgement_->verdict != AnswerJudgement::Verdict::take) {
    return 0;
  }
  std::span<const std::byte> left = bytes;
  const std::int64_t skipped = std::min(std::ssize(left), judgement_->skip - skipped_);
  left = left.subspan(static_cast<std::size_t>(skipped));
  skipped_ += skipped;
  const std::int64_t taken = std::min(std::ssize(left), judgement_->take - filled_);
  std::ranges::copy(left.first(static_cast<std::size_t>(taken)), out_.begin() + filled_);
  filled_ += taken;
  // What follows the range in a whole object is not read; after a range nothing may follow.
  const bool is_whole = judgement_->is_whole;
  is_surplus_ = !is_whole && taken < std::ssize(left);
  return is_surplus_ || (is_whole && is_filled()) ? 0 : bytes.size();
}

bool Exchange::goes_on() {
  if (!stop_.stop_requested()) {
    return true;
  }
  if (!stopped_) {
    stopped_ = Clock::now();
  }
  return seconds_since(*stopped_) < grace_;
}

RangeAnswer Exchange::judged() const {
  RangeAnswer answer{.version = judgement_->version,
                     .why = judgement_->why,
                     .retry_after = parser_.head().retry_after};
  switch (judgement_->verdict) {
    case AnswerJudgement::Verdict::take:
      answer.end = is_filled() && !is_surplus_ ? RangeAnswer::End::done : RangeAnswer::End::again;
      answer.why = msg::store_cut{};
      break;
    case AnswerJudgement::Verdict::again:
      answer.end = RangeAnswer::End::again;
      break;
    case AnswerJudgement::Verdict::redirect:
      answer.end = RangeAnswer::End::redirect;
      break;
    case AnswerJudgement::Verdict::refuse:
      answer.end = RangeAnswer::End::refuse;
      break;
    case AnswerJudgement::Verdict::empty:
      answer.end = RangeAnswer::End::empty;
      break;
  }
  return answer;
}

bool is_about_certificates(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_ISSUER_ERROR;
}

Message reason_of_code(CURLcode code, const CurlFunctions& curl) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return msg::store_stalled{};
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_UNSUPPORTED_PROTOCOL:  // what came does not begin like HTTP
      return msg::store_cut{};
    default:
      return msg::store_transport{.reason = curl.easy_strerror(code)};
  }
}

RangeAnswer Exchange::finish(CURLcode code, const CurlFunctions& curl) {
  RangeAnswer answer;
  const bool is_ours = code == CURLE_OK || code == CURLE_WRITE_ERROR;
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    answer.end = RangeAnswer::End::stopped;
  } else if (is_about_certificates(code)) {
    answer.end = RangeAnswer::End::refuse;
    answer.why = msg::store_certificate{.reason = curl.easy_strerror(code)};
  } else if (code == CURLE_URL_MALFORMAT) {
    answer.end = RangeAnswer::End::refuse;
    answer.why = msg::store_transport{.reason = curl.easy_strerror(code)};
  } else if (is_ours && parser_.head().status != 0) {
    decide();
    answer = judged();
  } else if (is_ours) {
    answer.why = msg::store_cut{};
  } else {
    answer.why = reason_of_code(code, curl);
  }
  answer.received = received_;
  return answer;
}

std::size_t on_head(char* bytes, std::size_t size, std::size_t count, void* exchange) {
  return static_cast<Exchange*>(exchange)->take_head({bytes, size * count});
}

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* exchange) {
  return static_cast<Exchange*>(exchange)->take_body(
      {reinterpret_cast<const std::byte*>(bytes), size * count});
}

int on_progress(void* exchange, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Exchange*>(exchange)->goes_on() ? 0 : 1;
}

struct FreeList {
  const CurlFunctions* curl;
  void operator()(curl_slist* list) const { curl->slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

HeaderList list_of(const CurlFunctions& curl, const std::vector<std::string>& lines) {
  HeaderList list(nullptr, FreeList{&curl});
  for (const std::string& line : lines) {
    curl_slist* const longer = curl.slist_append(list.get(), line.c_str());
    if (longer == nullptr) {
      throw std::bad_alloc();
    }
    list.release();  // a part of the longer one
    list.reset(longer);
  }
  return list;
}

long milliseconds(Seconds duration) {
  return static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

}  // namespace

HttpClient::~HttpClient() {
  for (CURL* const handle : idle_) {
    curl_.easy_cleanup(handle);
  }
}

CURL* HttpClient::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      CURL* const handle = idle_.back();
      idle_.pop_back();
      return handle;
    }
  }
  CURL* const handle = curl_.easy_init();
  if (handle == nullptr) {
    throw std::bad_alloc();
  }
  return handle;
}

void HttpClient::give_back(CURL* handle) {
  curl_.easy_reset(handle);  // its connections stay
  const std::lock_guard lock(mutex_);
  idle_.push_back(handle);
}

RangeAnswer HttpClient::fetch(const RangeRequest& request,
                              const ObjectVersion* known,
                              std::span<std::byte> out) {
  if (stop_.stop_requested()) {
    return {.end = RangeAnswer::End::stopped};
  }
  const ByteRange& range = request.range;
  std::vector<std::string> lines = request.headers;
  lines.push_back(fmt::format("Range: bytes={}-{}", range.first, range.first + range.size - 1));
  lines.emplace_back("Accept-Encoding: identity");
  const HeaderList headers = list_of(curl_, lines);
  Exchange exchange(range, known, out, stop_, limits_.grace);
  const Seconds whole =
      limits_.connect + limits_.stall + Seconds(static_cast<double>(range.size) / kSlowest);

  CURL* const handle = take();
  const auto set = [&](CURLoption option, auto value) { curl_.easy_setopt(handle, option, value); };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_HEADERFUNCTION, &on_head);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&exchange));
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&exchange));
  set(CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(&exchange));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_USERAGENT, "qanat");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_NETRC,
      static_cast<long>(request.uses_netrc ? CURL_NETRC_OPTIONAL : CURL_NETRC_IGNORED));
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_BUFFERSIZE, kReadBuffer);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(limits_.connect));
  set(CURLOPT_TIMEOUT_MS, milliseconds(whole));
  set(CURLOPT_LOW_SPEED_LIMIT, kStallRate);
  set(CURLOPT_LOW_SPEED_TIME, std::max(1L, static_cast<long>(limits_.stall.count())));
  if (!limits_.bundle.empty()) {
    set(CURLOPT_CAINFO, limits_.bundle.c_str());
  }
  const CURLcode code = curl_.easy_perform(handle);
  RangeAnswer answer = exchange.finish(code, curl_);
  if (answer.end == RangeAnswer::End::redirect) {
    const char* location = nullptr;
    curl_.easy_getinfo(handle, CURLINFO_REDIRECT_URL, &location);
    answer.location = location != nullptr ? location : "";
  }
  give_back(handle);
  return answer;
}

}  // namespace qanat
