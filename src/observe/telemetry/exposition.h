// Writes the text exposition format of Prometheus, version 0.0.4, family by family. For one thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace qanat {

class Exposition {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // A family of samples; all of them follow at once. One without samples is not written.
  void family(std::string_view name, std::string_view type, std::string_view help);
  // What is absent is no sample.
  void sample(std::optional<double> value, Labels labels = {}, std::string_view suffix = "");
  void counter(std::string_view name, std::string_view help, std::optional<double> value);
  void gauge(std::string_view name, std::string_view help, std::optional<double> value);

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string head_;  // of the family, until its first sample
  std::string name_;
};

// "NaN", "+Inf" and the shortest digits that mean the same.
std::string exposition_number(double value);

}  // namespace qanat
