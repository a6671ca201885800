// Writes the text exposition format of Prometheus, version 0.0.4, family by family. For one thread.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace qanat {

class Exposition {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // A family of samples; all of them follow at once.
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(double value, Labels labels = {}, std::string_view suffix = "");
  void counter(std::string_view name, std::string_view help, double value);
  void gauge(std::string_view name, std::string_view help, double value);

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string name_;
};

// "NaN", "+Inf" and the shortest digits that mean the same.
std::string exposition_number(double value);

}  // namespace qanat
