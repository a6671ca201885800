#include "cli/exit_code.h"

#include "locale/messages/help.h"

namespace qanat {

std::array<std::pair<std::string_view, MessageId>, 8> exit_codes() {
  return {{{"0", msg::exit_done::id},
           {"1", msg::exit_failed::id},
           {"2", msg::exit_usage::id},
           {"3", msg::exit_cannot_measure::id},
           {"10", msg::exit_findings::id},
           {"11", msg::exit_regression::id},
           {"12", msg::exit_hardware_fault::id},
           {"128 + n", msg::exit_signal::id}}};
}

}  // namespace qanat
