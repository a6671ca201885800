#include "checkpoint_files/safetensors_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"

namespace qanat {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are stored as they lie in memory");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // as the format has it
constexpr std::size_t kMaxDimensions = 64;
constexpr std::size_t kAlignment = 64;

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  return nlohmann::json(name.substr(0, kLongest))
      .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::optional<TensorType> find_type(std::string_view name) {
  for (const TensorTypeFacts& one : kTensorTypes) {
    if (one.name == name) {
      return one.type;
    }
  }
  return std::nullopt;
}

// Nothing when it is beyond 63 bits, even if an extent of 0 makes that up: strides would be.
std::optional<std::uint64_t> size_in_bytes(const StoredTensor& tensor) {
  auto bytes = static_cast<std::int64_t>(facts(tensor.type).element_size);
  bool empty = false;
  for (const std::int64_t extent : tensor.shape) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : static_cast<std::uint64_t>(bytes);
}

// Takes the header value by value; nothing but the two forms there are gets through:
//   "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
//   "__metadata__": {"key": "text"}
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsHeader header;
  std::string problem;

  bool start_object(std::size_t) override {
    switch (place_) {
      case Place::before:
        place_ = Place::top;
        return true;
      case Place::entry:
        if (name_ == kMetadataName) {
          place_ = Place::metadata;
          return true;
        }
        header.tensors.push_back({.name = name_});
        seen_ = {};
        place_ = Place::tensor;
        return true;
      default:
        return unexpected("an object");
    }
  }

  bool key(string_t& text) override {
    if (place_ == Place::top) {
      name_ = text;
      place_ = Place::entry;
      return names_.insert(text).second || fail("is there twice");
    }
    field_ = text;
    if (place_ == Place::metadata) {
      place_ = Place::metadata_value;
      return !header.metadata.contains(text) || fail(in_quotes(text) + " is there twice");
    }
    return tensor_key(text);
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata_value) {
      header.metadata.emplace(field_, text);
      place_ = Place::metadata;
      return true;
    }
    if (place_ != Place::dtype) {
      return unexpected("a text");
    }
    const std::optional<TensorType> type = find_type(text);
    if (!type) {
      return fail(fmt::format("dtype {} is not known", in_quotes(text)));
    }
    header.tensors.back().type = *type;
    place_ = Place::tensor;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::shape && place_ != Place::offsets) {
      return unexpected("a list");
    }
    if (in_list_) {
      return unexpected("a list in a list");
    }
    in_list_ = true;
    num_offsets_ = 0;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (!in_list_) {
      return unexpected("a number");
    }
    return place_ == Place::shape ? take_extent(value) : take_offset(value);
  }

  bool end_array() override {
    if (place_ == Place::offsets && num_offsets_ != 2) {
      return fail("data_offsets are not two");
    }
    in_list_ = false;
    place_ = Place::tensor;
    return true;
  }

  bool end_object() override {
    if (place_ == Place::top) {
      place_ = Place::after;
      return true;
    }
    if (place_ == Place::tensor && !(seen_.dtype && seen_.shape && seen_.offsets)) {
      return fail("has not all of dtype, shape and data_offsets");
    }
    place_ = Place::top;
    return true;
  }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("true or false"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return unexpected("a number that is not whole");
  }
  bool binary(binary_t&) override { return unexpected("binary"); }
  bool parse_error(std::size_t position,
                   const std::string&,
                   const nlohmann::detail::exception&) override {
    problem = fmt::format("header byte {}: not JSON", position);
    return false;
  }

 private:
  enum class Place {
    before,
    top,
    entry,  // a name was read
    tensor,
    dtype,
    shape,
    offsets,
    metadata,
    metadata_value,
    after,
  };
  struct Seen {
    bool dtype = false;
    bool shape = false;
    bool offsets = false;
  };

  bool tensor_key(const std::string& text) {
    bool* seen = nullptr;
    if (text == "dtype") {
      seen = &seen_.dtype;
      place_ = Place::dtype;
    } else if (text == "shape") {
      seen = &seen_.shape;
      place_ = Place::shape;
    } else if (text == "data_offsets") {
      seen = &seen_.offsets;
      place_ = Place::offsets;
    } else {
      return fail(fmt::format("has an unknown key {}", in_quotes(text)));
    }
    if (std::exchange(*seen, true)) {
      return fail(fmt::format("has {} twice", text));
    }
    return true;
  }

  bool take_extent(std::uint64_t value) {
    std::vector<std::int64_t>& shape = header.tensors.back().shape;
    if (shape.size() == kMaxDimensions) {
      return fail(fmt::format("has more than {} dimensions", kMaxDimensions));
    }
    if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
      return fail(fmt::format("has a dimension of {}", value));
    }
    shape.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool take_offset(std::uint64_t value) {
    StoredTensor& tensor = header.tensors.back();
    (num_offsets_ == 0 ? tensor.begin : tensor.end) = value;
    return ++num_offsets_ <= 2 || fail("data_offsets are not two");
  }

  bool fail(std::string_view what) {
    problem = fmt::format("tensor {}: {}", in_quotes(name_), what);
    return false;
  }
  bool unexpected(std::string_view what) {
    problem = name_.empty()
                  ? fmt::format("header: {} where none belongs", what)
                  : fmt::format("tensor {}: {} where none belongs", in_quotes(name_), what);
    return false;
  }

  Place place_ = Place::before;
  bool in_list_ = false;
  int num_offsets_ = 0;
  Seen seen_;
  std::set<std::string> names_;
  std::string name_;
  std::string field_;
};

// The tensors are in the order of their values.
std::optional<std::string> layout_problem(const SafetensorsHeader& header,
                                          std::uint64_t num_bytes) {
  std::uint64_t covered = 0;
  for (const StoredTensor& tensor : header.tensors) {
    if (tensor.begin > tensor.end || tensor.end > num_bytes) {
      return fmt::format("tensor {}: bytes {} to {} of {}",
                         in_quotes(tensor.name),
                         tensor.begin,
                         tensor.end,
                         num_bytes);
    }
    if (tensor.begin != covered) {
      return fmt::format("tensor {}: begins at byte {}; the one before it ends at {}",
                         in_quotes(tensor.name),
                         tensor.begin,
                         covered);
    }
    if (size_in_bytes(tensor) != tensor.end - tensor.begin) {
      return fmt::format("tensor {}: {} bytes do not fit its type and shape",
                         in_quotes(tensor.name),
                         tensor.end - tensor.begin);
    }
    covered = tensor.end;
  }
  if (covered != num_bytes) {
    return fmt::format("{} bytes of values; the tensors have {}", num_bytes, covered);
  }
  return std::nullopt;
}

}  // namespace

Result<SafetensorsHeader> read_safetensors_header(std::span<const std::byte> file) {
  if (file.size() < kLengthBytes) {
    return to_failure(msg::safetensors_short{.bytes = file.size()});
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kMaxHeader || length > file.size() - kLengthBytes) {
    return to_failure(msg::safetensors_header{.bytes = length, .file = file.size()});
  }
  const char* text = reinterpret_cast<const char*>(file.data()) + kLengthBytes;
  HeaderReader reader;
  if (!nlohmann::json::sax_parse(text, text + length, &reader)) {
    return Failure{reader.problem};
  }
  SafetensorsHeader header = std::move(reader.header);
  header.values_begin = kLengthBytes + length;
  std::ranges::sort(header.tensors, {}, [](const StoredTensor& tensor) {
    return std::pair(tensor.begin, tensor.end);
  });
  if (const auto problem = layout_problem(header, file.size() - header.values_begin)) {
    return Failure{*problem};
  }
  return header;
}

std::string make_safetensors_header(std::span<const StoredTensor> tensors,
                                    const std::map<std::string, std::string>& metadata) {
  nlohmann::json json = nlohmann::json::object();  // sorted by name
  if (!metadata.empty()) {
    json[std::string(kMetadataName)] = metadata;
  }
  for (const StoredTensor& tensor : tensors) {
    json[tensor.name] = {{"dtype", facts(tensor.type).name},
                         {"shape", tensor.shape},
                         {"data_offsets", {tensor.begin, tensor.end}}};
  }
  std::string text = json.dump();
  const std::size_t used = kLengthBytes + text.size();
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  const std::uint64_t length = text.size();
  std::string result(kLengthBytes, '\0');
  std::memcpy(result.data(), &length, kLengthBytes);
  return result + text;
}

void place_tensors(std::vector<StoredTensor>& tensors) {
  std::ranges::sort(tensors, [](const StoredTensor& a, const StoredTensor& b) {
    const std::uint64_t size_a = facts(a.type).element_size;
    const std::uint64_t size_b = facts(b.type).element_size;
    return size_a != size_b ? size_a > size_b : a.name < b.name;
  });
  std::uint64_t at = 0;
  for (StoredTensor& tensor : tensors) {
    tensor.begin = at;
    at += size_in_bytes(tensor).value_or(0);
    tensor.end = at;
  }
}

}  // namespace qanat
