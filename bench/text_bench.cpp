// How many megabytes of text one core normalises in a second of its time, whatever else runs on
// the machine, in both languages: ordinary sentences with the numbers, dates and prices that texts
// have.
#include <algorithm>
#include <array>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/language.h"
#include "bench_main.h"
#include "text/normalise.h"

namespace qanat {
namespace {

constexpr std::array<std::string_view, 8> kEnglish = {
    "The printing press of the fifteenth century was a simple machine, worked by two men.",
    "On 14 May 1843 the committee met again, and Dr. Brown read his report aloud.",
    "They paid $1,250 for the house, which was about 12% more than its neighbours cost.",
    "It was a bright cold day in April, and the clocks were striking as she came home.",
    "The train leaves at 7:45 a.m. and reaches St. Albans forty minutes later, if all goes well.",
    "Nothing in the letter explained why he had left the town without a word to anybody.",
    "In the summer months the garden is open every day; in the winter it closes at noon.",
    "He walked slowly along the river, thinking of all the people he had known there."};

constexpr std::array<std::string_view, 8> kPersian = {
    "امروز صبح هوا خیلی خوب بود و ما با هم تا کنار رودخانه پیاده رفتیم.",
    "قیمت این کتاب ۱/۲۵۰/۰۰۰ تومان است و ۲۰٪ تخفیف دارد.",
    "در تاریخ ۱۴۰۲/۰۵/۱۲ ساعت ۱۰:۳۰ جلسه‌ای در دانشگاه تهران برگزار شد.",
    "او می‌گوید که سال‌ها پیش در روستایی دور زندگی می‌کرده و همه را می‌شناخته است.",
    "کتاب‌های کتابخانه را باید تا پایان هفته برگردانید، وگرنه جریمه می‌شوید.",
    "مردم شهر در میدان بزرگ جمع شدند و به سخنان شهردار گوش دادند.",
    "خانهٔ ما کنار باغی بود که درختان بلندش سایه‌ای خنک بر حیاط می‌انداختند.",
    "هیچ‌کس نمی‌دانست چرا نامه‌ها دیگر به دست او نمی‌رسیدند و چه کسی آن‌ها را می‌برد."};

// Counts this thread: other programs on the core do not count.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double megabytes_per_second(const std::array<std::string_view, 8>& sentences,
                            Language language,
                            int repetitions) {
  std::size_t bytes = 0;
  std::size_t written = 0;
  const double start = cpu_seconds();
  for (int i = 0; i < repetitions; ++i) {
    for (const std::string_view sentence : sentences) {
      bytes += sentence.size();
      written += normalise_text(sentence, language).size();
    }
  }
  const double seconds = cpu_seconds() - start;
  return written == 0 ? 0.0 : static_cast<double>(bytes) / 1e6 / seconds;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

int run(int argc, char** argv) {
  CLI::App app("normalised text per second on one core");
  bool quick = false;
  app.add_flag("--quick", quick, "one short round, to see that it runs");
  CLI11_PARSE(app, argc, argv);
  const int rounds = quick ? 1 : 15;
  const int repetitions = quick ? 50 : 2000;
  std::vector<double> english;
  std::vector<double> persian;
  for (int round = 0; round < rounds; ++round) {
    english.push_back(megabytes_per_second(kEnglish, Language::en, repetitions));
    persian.push_back(megabytes_per_second(kPersian, Language::fa, repetitions));
  }
  fmt::print("{}\n",
             nlohmann::json{{"text_english_mb_s", median_of(english)},
                            {"text_persian_mb_s", median_of(persian)}}
                 .dump());
  return 0;
}

}  // namespace
}  // namespace qanat

int main(int argc, char** argv) {
  return qanat::run_bench("qanat_text_bench", [&] { return qanat::run(argc, argv); });
}
