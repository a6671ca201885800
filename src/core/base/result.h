// A value, or the reason there is none.
//
// For failures a run survives: a corrupt file, an utterance that is too long. Failures a run
// does not survive are exceptions (base/error.h).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/file_trouble.h"
#include "base/message.h"

namespace qanat {

struct Failure {
  std::string what;   // in English
  Message message{};  // the same in every language; says nothing where only `what` is known
  std::optional<FileTrouble> trouble{};  // instead of the message, where a file is the reason

  bool operator==(const Failure&) const = default;
};

// For functions that either do their work or say why not.
struct Done {
  bool operator==(const Done&) const = default;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Result(Failure failure) : state_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  const T& value() const& { return std::get<T>(state_); }
  T& value() & { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  const Failure& failure() const { return std::get<Failure>(state_); }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace qanat
