// Says a text as it is read aloud, with nothing of Qanat but its text library.
#include <iostream>

#include "text/read_aloud.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: normalise_text LANGUAGE TEXT\n";
    return 2;
  }
  const std::optional<qanat::LanguageTag> language = qanat::to_language_tag(arguments[1]);
  if (!language) {
    std::cerr << arguments[1] << ": no language tag; expected en, fa, de, pt-BR\n";
    return 2;
  }
  const qanat::Result<std::string> words = qanat::read_aloud(arguments[2], *language);
  if (!words) {
    std::cerr << words.failure().what << '\n';
    return 1;
  }
  std::cout << words.value() << '\n';
  return 0;
}
