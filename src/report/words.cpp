#include "report/words.h"

#include "report/persian.h"

namespace qanat {

std::string Words::say(std::string_view english) const {
  return language() == Language::en ? std::string(english) : to_persian(english);
}

}  // namespace qanat
