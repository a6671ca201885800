#include "monitor/reading_words.h"

#include <algorithm>
#include <array>
#include <string>

#include "locale/messages/full_diagnosis.h"

namespace qanat {
namespace {

struct KnownReason {
  std::string_view why;
  MessageId id;
};

constexpr auto kReasons = std::to_array<KnownReason>({
    {"not read", msg::reading_not_read::id},
    {"no time was left", msg::reading_no_time::id},
    {"no control group of this process counts throttling", msg::reading_no_throttling::id},
    {"no control group of version 2 is mounted", msg::reading_no_cgroup2::id},
    {"no core has a folder cpufreq; a virtual machine does not show it",
     msg::reading_no_cpufreq::id},
    {"no data folder was given", msg::reading_no_data::id},
    {"there are no files to read", msg::reading_no_files::id},
    {"stopped before a file was read", msg::reading_stopped::id},
    {"no thread has a schedstat; the kernel was built without it", msg::reading_no_schedstat::id},
    {"no time passed between two samples", msg::reading_no_interval::id},
    {"the host was sampled only once", msg::reading_sampled_once::id},
    {"the host was sampled for too short a time", msg::reading_too_short::id},
    {"the journal does not say it as expected", msg::reading_journal::id},
    {"the journal has no line about GPUs", msg::reading_no_gpu_line::id},
    {"this driver has no function for it", msg::reading_no_function::id},
    {"this driver cannot list its GPUs", msg::reading_no_list::id},
    {"the driver knows no GPU", msg::reading_no_gpu::id},
    {"the library has no nvmlInit: it is not NVML", msg::reading_no_nvml::id},
    {"the firmware does not say", msg::reading_no_firmware::id},
    {"the GPU is lost", msg::reading_gpu_lost::id},
    {"one of them is lost", msg::reading_one_lost::id},
    {"another rank has no samples", msg::reading_no_rank_samples::id},
    {"no samples of the host", msg::reading_no_host_samples::id},
    {"the journals of the other ranks are not here", msg::reading_no_rank_journals::id},
    {"the driver does not answer", msg::reading_silent::id},
});

// Reasons with a name or another reason in them.
constexpr std::string_view kNoMount = "no mount point lies above ";
constexpr std::string_view kNotTold = "whether files came from storage cannot be told: ";
constexpr std::string_view kCached = "the page cache kept the files (";
constexpr std::string_view kNoLibrary =
    ": cannot open shared object file: No such file or directory";  // of the dynamic linker
constexpr std::string_view kCachedEnd = " % came from storage)";
constexpr std::string_view kNoAnswer = "NVML did not answer within ";

}  // namespace

MessageArg reading_words(std::string_view why) {
  const auto known = std::ranges::find(kReasons, why, &KnownReason::why);
  if (known != kReasons.end()) {
    return Message{known->id};
  }
  if (why.starts_with(kNoMount)) {
    return msg::reading_no_mount{.path = std::string(why.substr(kNoMount.size()))};
  }
  if (why.ends_with(kNoLibrary)) {
    return msg::reading_no_library{.library =
                                       std::string(why.substr(0, why.size() - kNoLibrary.size()))};
  }
  if (why.starts_with(kNoAnswer)) {
    const std::string_view rest = why.substr(kNoAnswer.size());
    const std::string seconds(rest.substr(0, rest.find(' ')));
    return rest.find("lost") == std::string_view::npos
               ? MessageArg(msg::reading_no_answer{.seconds = seconds})
               : MessageArg(msg::reading_no_answer_lost{.seconds = seconds});
  }
  if (why.starts_with(kNotTold)) {
    return msg::reading_not_told{.why = reading_words(why.substr(kNotTold.size()))};
  }
  if (const std::size_t end = why.find(kCachedEnd);
      why.starts_with(kCached) && end != std::string_view::npos) {
    return msg::reading_cached{.share =
                                   std::string(why.substr(kCached.size(), end - kCached.size()))};
  }
  return std::string(why);
}

}  // namespace qanat
