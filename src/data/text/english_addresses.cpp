#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "text/characters.h"
#include "text/english_numbers.h"
#include "text/english_readers.h"
#include "text/units.h"
#include "text/word_index.h"

namespace qanat {
namespace {

using std::string_view;

struct AddressSign {
  char sign;
  string_view word;
};

// Signs that have a name in addresses only.
constexpr std::array kAddressSigns = {AddressSign{'.', "dot"},
                                      AddressSign{'/', "slash"},
                                      AddressSign{'-', "dash"},
                                      AddressSign{'_', "underscore"},
                                      AddressSign{':', "colon"},
                                      AddressSign{'?', "question mark"},
                                      AddressSign{'#', "hash"},
                                      AddressSign{'~', "tilde"}};
constexpr string_view kSpokenSigns = "@=&+%";  // find_sign() knows their names

enum class DomainReading { word, letters };

// Last parts of names, and whether they are said letter by letter.
struct Domain {
  string_view name;
  DomainReading reading;
};

constexpr std::array kDomains = {
#include "text/english_domains_rows.inc"
};

constexpr WordIndex kDomainIndex(kDomains, &Domain::name);

constexpr std::size_t kLongestAddress = 256;  // bytes

constexpr bool is_alphanumeric(char byte) {
  return is_ascii_letter(byte) || is_ascii_digit(byte);
}

constexpr auto kIsAddressByte = [] {
  std::array<bool, 256> is{};
  for (int byte = 0; byte < 128; ++byte) {
    is[static_cast<std::size_t>(byte)] = is_alphanumeric(static_cast<char>(byte));
  }
  for (const AddressSign& sign : kAddressSigns) {
    is[static_cast<unsigned char>(sign.sign)] = true;
  }
  for (const char sign : kSpokenSigns) {
    is[static_cast<unsigned char>(sign)] = true;
  }
  return is;
}();

// The bytes that can belong to an address, without the punctuation of the sentence behind it.
string_view leading_address(string_view rest) {
  rest = rest.substr(0, kLongestAddress);
  const auto* end = std::ranges::find_if_not(
      rest, [](char byte) { return kIsAddressByte[static_cast<unsigned char>(byte)]; });
  rest = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  while (!rest.empty() && !is_alphanumeric(rest.back())) {
    rest.remove_suffix(1);
  }
  return rest;
}

const Domain* find_domain(string_view name) {
  const std::size_t row = kDomainIndex.find(name);
  return row == kDomains.size() ? nullptr : &kDomains[row];
}

// Turns "example.com/about" into "example.com".
string_view leading_host(string_view address) {
  return address.substr(0, std::min(address.find_first_of("/:?#"), address.size()));
}

// Names with dots between them, the last of them one of kDomains.
bool is_host(string_view host) {
  const std::size_t dot = host.rfind('.');
  if (dot == string_view::npos || dot == 0 || find_domain(host.substr(dot + 1)) == nullptr) {
    return false;
  }
  return std::ranges::all_of(
             host, [](char byte) { return is_alphanumeric(byte) || byte == '.' || byte == '-'; }) &&
         host.find("..") == string_view::npos;
}

bool is_mail(string_view address) {
  const std::size_t at = address.find('@');
  return at != string_view::npos && at > 0 && is_host(leading_host(address.substr(at + 1)));
}

bool is_address(string_view address) {
  for (const string_view scheme : {"http://", "https://", "ftp://"}) {
    if (address.starts_with(scheme)) {
      return address.size() > scheme.size();
    }
  }
  const bool www = address.starts_with("www.") && address.size() > 4 && is_alphanumeric(address[4]);
  const bool port = address.starts_with("localhost:") && starts_with_digit(address.substr(10));
  return www || port || is_host(leading_host(address)) || is_mail(address);
}

// "https", "bbc", "html": no vowel to say.
bool is_spelled(string_view word) {
  return word.size() >= 2 && word.size() <= 5 &&
         ascii_lower(word).find_first_of("aeiouy") == string_view::npos;
}

std::string address_number(string_view digits) {
  const bool count = digits.size() <= 3 && (digits.size() == 1 || digits.front() != '0');
  return count ? english_cardinal(*to_value(digits)) : english_digits(digits);
}

// As it would be read by itself: "etc" is no less an abbreviation here.
void write_alone(string_view word, WordWriter& out) {
  for (std::size_t at = 0; at < word.size();) {
    const Place place{.before = at == 0 ? " " : word.substr(0, at), .rest = word.substr(at)};
    at += read_english_word(place, Capitals::meaningful, out);
  }
}

void write_address_word(string_view word, string_view before, WordWriter& out) {
  const Domain* domain = before.ends_with('.') ? find_domain(word) : nullptr;
  if (is_spelled(word) || (domain != nullptr && domain->reading == DomainReading::letters)) {
    out.words(spaced_letters(word));
    return;
  }
  out.symbol(" ");
  write_alone(ascii_lower(word), out);
}

// The name of the sign that `rest` begins with.
string_view sign_word(string_view rest) {
  const auto* own = std::ranges::find(kAddressSigns, rest[0], &AddressSign::sign);
  return own == kAddressSigns.end() ? find_sign(rest, Language::en)->english : own->word;
}

// Letters, digits and signs of `address`, each as words.
void write_address(string_view address, WordWriter& out) {
  for (std::size_t at = 0; at < address.size();) {
    const string_view rest = address.substr(at);
    std::size_t length = 1;
    if (is_ascii_letter(rest[0])) {
      const string_view word = leading_letters(rest);
      write_address_word(word, address.substr(0, at), out);
      length = word.size();
    } else if (is_ascii_digit(rest[0])) {
      const string_view digits = leading_digits(rest);
      out.words(address_number(digits));
      length = digits.size();
    } else {
      out.words(sign_word(rest));
    }
    at += length;
  }
}

string_view leading_name(string_view text) {
  text = text.substr(0, kLongestAddress);
  const auto* end = std::ranges::find_if_not(
      text, [](char byte) { return is_alphanumeric(byte) || byte == '_'; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// The letters of one word of "BlackLivesMatter" or "COVIDCases".
string_view leading_hump(string_view letters) {
  std::size_t end = 1;
  while (end < letters.size()) {
    const bool capital = is_ascii_upper(letters[end]);
    const bool begins = capital && is_ascii_lower(letters[end - 1]);
    const bool next_begins = capital && is_ascii_upper(letters[end - 1]) &&
                             end + 1 < letters.size() && is_ascii_lower(letters[end + 1]);
    if (begins || next_begins) {
      break;
    }
    ++end;
  }
  return letters.substr(0, end);
}

std::string tag_number(string_view digits) {
  const bool year = digits.size() == 4 && (digits.starts_with('1') || digits.starts_with("20"));
  const bool count = digits.size() <= 9 && (digits.size() == 1 || digits.front() != '0');
  if (!count) {
    return english_digits(digits);
  }
  return year ? english_year(*to_value(digits)) : english_cardinal(*to_value(digits));
}

void write_tag(string_view name, WordWriter& out) {
  while (!name.empty()) {
    std::size_t length = 1;
    if (is_ascii_letter(name[0])) {
      const string_view word = leading_hump(leading_letters(name));
      out.symbol(" ");
      write_alone(word, out);
      length = word.size();
    } else if (is_ascii_digit(name[0])) {
      const string_view digits = leading_digits(name);
      out.words(tag_number(digits));
      length = digits.size();
    }
    name.remove_prefix(length);
  }
}

}  // namespace

std::size_t read_english_address(const Place& place, WordWriter& out) {
  const bool begins = place.before.empty() ||
                      string_view(" (\"'<,;:").find(place.before.back()) != string_view::npos;
  if (!begins) {
    return 0;
  }
  const string_view address = leading_address(place.rest);
  if (!is_address(address)) {
    return 0;
  }
  write_address(address, out);
  return address.size();
}

std::size_t read_english_handle(const Place& place, WordWriter& out) {
  const string_view name = leading_name(place.rest.substr(1));
  if (!ends_at_boundary(place.before) || name.find('_') == string_view::npos ||
      !starts_with_letter(name)) {
    return 0;
  }
  out.words("at");
  write_address(name, out);
  return 1 + name.size();
}

std::size_t read_english_hashtag(const Place& place, WordWriter& out) {
  const string_view name = leading_name(place.rest.substr(1));
  const string_view letter = word_before(place.before);
  if (name.empty() && ends_in_letter(place.before) && (letter == "C" || letter == "F")) {
    out.words("sharp");
    return 1;
  }
  if (starts_with_digit(name)) {
    out.words("number");
    return 1;
  }
  out.words("hashtag");
  write_tag(name, out);
  return 1 + name.size();
}

}  // namespace qanat
