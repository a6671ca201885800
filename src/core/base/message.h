// A sentence that is not said yet: which one, and what stands in its gaps.
//
// Code makes messages from the structs of locale/messages/, which are made from locale/*.po; a
// Translator (locale/translator.h) says them in the language that is asked for. Values.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"

namespace qanat {

// Which sentence. Numbered by the build: never stored, never sent. 0 says nothing.
enum class MessageId : std::uint32_t;

class MessageArg;

struct Message {
  MessageId id{};
  std::vector<MessageArg> args;

  // Whether it says anything.
  explicit operator bool() const { return id != MessageId{}; }
  bool operator==(const Message& other) const;
};

// A struct of locale/messages/.
template <typename T>
concept MessageStruct =
    std::same_as<std::remove_cvref_t<decltype(T::id)>, MessageId> && !std::same_as<T, Message>;

// What fills a gap. Text is a name, a flag, a path or a command: it is never translated. Numbers
// are counts or carry their unit, so a bare double does not compile; nor does a gap left out.
class MessageArg {
 public:
  using List = std::vector<MessageArg>;  // said with the commas of the language

  // Implicit, so that a gap is filled by naming it: msg::dl002_ok{.wait = run.data_wait}.
  // NOLINTBEGIN(google-explicit-constructor)
  MessageArg(std::integral auto count) : value_(static_cast<std::int64_t>(count)) {}
  MessageArg(bool) = delete;
  MessageArg(std::floating_point auto) = delete;
  MessageArg(Quantity quantity) : value_(quantity) {}
  MessageArg(Seconds duration) : value_(in_seconds(duration.count())) {}
  MessageArg(std::string text) : value_(std::move(text)) {}
  MessageArg(std::string_view text) : value_(std::string(text)) {}
  MessageArg(const char* text) : value_(std::string(text)) {}
  MessageArg(Message message) : value_(std::move(message)) {}
  template <MessageStruct T>
  MessageArg(const T& message) : value_(static_cast<Message>(message)) {}
  MessageArg(List list) : value_(std::move(list)) {}
  MessageArg(const std::vector<std::string>& names) : value_(List(names.begin(), names.end())) {}
  // NOLINTEND(google-explicit-constructor)

  using Value = std::variant<std::int64_t, Quantity, std::string, Message, List>;
  const Value& value() const { return value_; }

  bool operator==(const MessageArg&) const = default;

 private:
  Value value_;
};

inline bool Message::operator==(const Message& other) const {
  return id == other.id && args == other.args;
}

}  // namespace qanat
