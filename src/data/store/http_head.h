// What a server says before the bytes: parsed from arbitrary lines, and judged by what was asked.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/message.h"
#include "base/quantity.h"
#include "base/time.h"

namespace qanat {

// `Content-Range: bytes 0-99/1000`; without bytes in answers that refuse.
struct ContentRange {
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  std::optional<std::int64_t> total;

  bool operator==(const ContentRange&) const = default;
};

std::optional<ContentRange> parse_content_range(std::string_view text);

struct HttpHead {
  int status = 0;
  std::optional<std::int64_t> length;  // of what follows
  std::optional<ContentRange> range;
  bool has_range = false;  // there is one, whether or not it can be read
  std::string etag;
  std::string modified;  // as the server writes it
  std::string encoding;  // in lower case; empty: none
  std::string region;    // of a bucket that is elsewhere
  bool has_location = false;
  std::optional<Seconds> retry_after;
};

// Takes line after line; a status line begins another answer.
class HeadParser {
 public:
  // False: more than any server has to say.
  bool take(std::string_view line);

  const HttpHead& head() const { return head_; }

 private:
  void take_field(std::string_view name, std::string_view value);

  HttpHead head_;
  std::size_t size_ = 0;
};

// What identifies a version of an object: its size and what the server calls it.
struct ObjectVersion {
  Bytes size;
  std::string tag;  // ETag, else Last-Modified; empty: the server names none

  bool operator==(const ObjectVersion&) const = default;
};

std::string tag_of(const HttpHead& head);

// Bytes of an object; at least one.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t size = 1;
};

struct AnswerJudgement {
  enum class Verdict {
    take,      // the bytes follow, `skip` others first
    again,     // may be other next time
    redirect,  // are elsewhere
    refuse,    // no use to ask again
    empty,     // there are none in the object
  };
  Verdict verdict = Verdict::refuse;
  bool is_whole = false;  // all of the object follows
  std::int64_t skip = 0;
  std::int64_t take = 0;    // bytes that follow then; at most as many as were asked for
  ObjectVersion version{};  // of what was taken
  Message why{};            // of again and refuse
};

// Bytes in front of a range that are read and dropped where a server sends all of the object.
inline constexpr Bytes kMaxSkipped = mebibytes(64);

// `known`: the version that the answer must be of; null: it is the first answer.
AnswerJudgement judge(const HttpHead& head, const ByteRange& asked, const ObjectVersion* known);

}  // namespace qanat
