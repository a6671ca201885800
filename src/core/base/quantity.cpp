#include "base/quantity.h"

namespace qanat {

std::string_view to_string(Unit unit) {
  switch (unit) {
    case Unit::number:
    case Unit::count:
    case Unit::share:
    case Unit::ratio:
      return "1";
    case Unit::seconds:
      return "s";
    case Unit::bytes:
      return "B";
    case Unit::bytes_per_second:
      return "B/s";
    case Unit::per_second:
      return "1/s";
    case Unit::hertz:
      return "Hz";
    case Unit::watts:
      return "W";
    case Unit::celsius:
      return "degrees C";
    case Unit::cores:
      return "cores";
    case Unit::steps:
      return "steps";
    case Unit::batches:
      return "batches";
    case Unit::lanes:
      return "lanes";
  }
  return "1";
}

}  // namespace qanat
