// The words of profiles and sweeps, and the units of evidence.
#include <array>

#include "report/persian.h"

namespace qanat {

std::span<const Translation> persian_profile_sentences() {
  static constexpr auto kSentences = std::to_array<Translation>({
      // Headings.
      {"RATE", "نرخ"},
      {"SWEEP", "جست‌وجو"},
      {"CACHED-BATCH PROBE", "آزمون با دسته‌های آماده"},
      {"RECOMMENDED CONFIGURATION", "پیکربندی پیشنهادی"},
      {"none", "هیچ"},
      {"nothing worth changing was found", "چیزی که به تغییر بیرزد یافت نشد"},
      {"none: there is no verdict", "هیچ: حکمی در دست نیست"},
      {"none: too little was measured", "هیچ: کم اندازه گرفته شد"},
      {"none: --step-ms tells how long a step takes, --benchmark compares settings",
       "هیچ: \u2068--step-ms\u2069 می‌گوید هر گام چه اندازه طول "
       "می‌کشد، "
       "\u2068--benchmark\u2069 "
       "تنظیم‌ها را می‌سنجد"},
      {"as a file, one change at a time, because gains do not add:",
       "به شکل فایل؛ هر بار یک تغییر، چون سودها جمع "
       "نمی‌شوند:"},

      // The loader.
      {"{} s of speech a second, {} batches a second: feeds steps of {} and longer",
       "{} ثانیه گفتار در ثانیه، {} دسته در ثانیه: گام‌های {} و بلندتر "
       "را "
       "سیر "
       "می‌کند"},
      {"FED   a trainer with steps of {} waits {} of its time; {} of the batches were ready",
       "سیر   آموزگاری با گام‌های {}، {} از زمانش منتظر است؛ {} از "
       "دسته‌ها "
       "آماده "
       "بود"},
      {"STARVED   a trainer with steps of {} waits {} of its time; {} of the batches were ready",
       "گرسنه   آموزگاری با گام‌های {}، {} از زمانش منتظر است؛ {} از "
       "دسته‌ها "
       "آماده "
       "بود"},
      {"{} batches after {} of warm-up; the first came after {}",
       "{} دسته پس از {} دستهٔ گرم شدن؛ نخستین پس از {} آمد"},
      {"{} as it is; {} for equal work: {}",
       "{} چنان‌که هست؛ {} با کارِ برابر: {}"},
      {"rhythm", "آهنگ"},
      {"every {} batches {} more (p {}): as the {}", "هر {} دسته {} بیشتر (p {}): همچون {}"},
      {"every {} batches {} more (p {})", "هر {} دسته {} بیشتر (p {})"},
      {"too few batches to look for one",
       "دسته‌ها کمتر از آن‌اند که بتوان جست"},
      {"none among periods of 2 to {} batches (p {})",
       "هیچ، میان دوره‌های ۲ تا {} دسته‌ای (p {})"},
      {"number of workers", "شمار کارگرها"},
      {"batches ahead", "دسته‌های پیشاپیش"},
      {"where the loader's time goes", "زمان بارگذار کجا می‌رود"},
      {"queue", "صف"},
      {"rows", "ردیف‌ها"},
      {"empty {}, partly filled {}, full {}", "خالی {}، نیمه‌پر {}، پر {}"},
      {"{} running; busy {}, blocked {}, starved {}, parked {}",
       "{} روشن؛ مشغول {}، پشت بافر پر {}، بی‌کار {}، خاموش {}"},
      {"{} of a worker's time, {} ms a row",
       "{} از زمان یک کارگر، {} میلی‌ثانیه برای هر ردیف"},
      {"{} from audio, {} from shards, {} from memory; {} bad; {} padding",
       "{} از صدا، {} از ویژگی‌های ذخیره‌شده، {} از حافظه؛ {} "
       "خراب؛ "
       "{} "
       "پرکننده"},
      {"{} needs {} batches; there are {}", "{} به {} دسته نیاز دارد؛ {} دسته هست"},
      {"{} needs {} steps; there are {}", "{} به {} گام نیاز دارد؛ {} گام هست"},
      {"p95 needs {} batches, p99 needs {}; there are {}",
       "p95 به {} دسته و p99 به {} دسته نیاز دارد؛ {} دسته هست"},
      {"p95 needs {} steps, p99 needs {}; there are {}",
       "p95 به {} گام و p99 به {} گام نیاز دارد؛ {} گام هست"},

      // The sweep.
      {"{} settings in {} s, steps of {}",
       "{} تنظیم در {} ثانیه، با گام‌های {}"},
      {"{} settings in {} s, as fast as it goes", "{} تنظیم در {} ثانیه، با همهٔ شتابِ ممکن"},
      {"{} settings in {} s, steps of {} (ended before every cell was known to 2 %)",
       "{} تنظیم در {} ثانیه، با گام‌های {} (پیش از آنکه هر خانه تا ۲٪ شناخته "
       "شود "
       "پایان "
       "یافت)"},
      {"{} settings in {} s, as fast as it goes (ended before every cell was known to 2 %)",
       "{} تنظیم در {} ثانیه، با همهٔ شتابِ ممکن (پیش از آنکه هر خانه تا ۲٪ شناخته شود پایان "
       "یافت)"},
      {"speech s/s", "ثانیهٔ گفتار در ثانیه"},
      {"visits", "بازدید"},
      {"not reached", "نرسید"},
      {"waits {}", "انتظار {}"},
      {"control", "شاهد"},
      {"more threads than cores", "رشته‌ها بیش از هسته‌ها"},
      {"<- recommended", "پیشنهاد"},
      {"the machine changed by {} % meanwhile (control cell)",
       "دستگاه در این میان {}٪ تغییر کرد (خانهٔ شاهد)"},
      {"the fastest of those measured, and fewer workers are slower",
       "تندترین در میان سنجیده‌ها، و با کارگرِ کمتر "
       "کندتر "
       "است"},
      {"{} % of what {} workers deliver, with fewer threads",
       "{}٪ آنچه {} کارگر می‌رسانند، با رشته‌های کمتر"},
      {"--batch-size {} would deliver {}x with {} workers, but changes what is learnt:",
       "\u2068--batch-size {}\u2069 به اندازهٔ {} برابر با {} کارگر می‌رساند، اما آنچه را "
       "آموخته "
       "می‌شود "
       "دگرگون می‌کند:"},
      {"the learning rate has to follow, and so it is not recommended here",
       "نرخ یادگیری باید همراه شود، پس اینجا پیشنهاد "
       "نمی‌شود"},

      // Steps.
      {"{} steps after {} of warm-up (not settled yet: more --num-steps)",
       "{} گام پس از {} گامِ گرم شدن (هنوز آرام نگرفته: \u2068--num-steps\u2069 بیشتر)"},
      {"other", "دیگر"},
      {"min", "کمینه"},
      {"max", "بیشینه"},
      {"data wait below 30 % is called good, and is {} here; what counts is the gain",
       "انتظار داده زیر ۳۰٪ خوب نام دارد و اینجا {} است؛ آنچه به شمار "
       "می‌آید "
       "سود "
       "است"},
      {"{} frames of speech a second, {} padding", "{} قاب گفتار در ثانیه، {} پرکننده"},
      {"good", "خوب"},
      {"acceptable", "پذیرفتنی"},
      {"poor", "بد"},
      {"very poor", "بسیار بد"},
      {"not run, or too few steps", "اجرا نشد، یا گام‌ها کم بود"},
      {"{} steps on batches that were on the device already",
       "{} گام روی دسته‌هایی که از پیش روی دستگاه بودند"},
      {"predicted with free data  {} [{}, {}]",
       "پیش‌بینی با دادهٔ رایگان  {} [{}، {}]"},
      {"measured with free data   {} [{}, {}]", "سنجیده با دادهٔ رایگان   {} [{}، {}]"},
      {"confirmed: {} %, {}", "تأیید شد: {}٪، {}"},
      {"cheaper: {} %, {}", "ارزان‌تر: {}٪، {}"},
      {"dearer: {} %, {}", "گران‌تر: {}٪، {}"},
      {"the prediction holds", "پیش‌بینی درست بود"},
      {"steps cost less while nothing is loaded: loading takes time from the model",
       "گام‌ها وقتی چیزی بارگذاری نمی‌شود کمتر می‌گیرند: بارگذاری از "
       "زمان "
       "مدل "
       "می‌کاهد"},
      {"steps cost more than predicted: the machine was busier during the probe; run again",
       "گام‌ها بیش از پیش‌بینی گرفتند: دستگاه هنگام آزمون پرکارتر بود؛ "
       "دوباره "
       "اجرا "
       "کنید"},

      // Two devices.
      {"TWO DEVICES PAY", "دو دستگاه می‌ارزد"},
      {"TWO DEVICES DO NOT PAY", "دو دستگاه نمی‌ارزد"},
      {"NO DIFFERENCE", "بی‌تفاوت"},
      {"{}x the speech per second of one device [{}, {}], measured in turns",
       "{} برابرِ گفتار در ثانیهٔ یک دستگاه [{}، {}]، نوبت به نوبت سنجیده"},
      {"the GPUs are emulated on the processor (virtual GPUs): the figures are of this machine",
       "GPUها روی پردازنده شبیه‌سازی شده‌اند: رقم‌ها از آنِ "
       "همین "
       "دستگاه "
       "است"},
      {"mean of a batch; {} steps on two devices, {} on one",
       "میانگین هر دسته؛ {} گام روی دو دستگاه، {} گام روی یکی"},
      {"two devices", "دو دستگاه"},
      {"one device", "یک دستگاه"},
      {"gap", "فاصله"},
      {"data GPU", "GPU داده"},
      {"model GPU", "GPU مدل"},
      {"busy {} ({}), {}", "مشغول {} ({})، {}"},
      {"memory not measured", "حافظه سنجیده نشد"},
      {"{} MB at most", "حداکثر {} مگابایت"},
      {"{} of {} MB at most", "حداکثر {} از {} مگابایت"},
      {"{} for equal work ({})", "{} با کارِ برابر ({})"},
      {"overlap", "همپوشانی"},
      {"{}, the sum of both busy shares less one", "{}؛ جمع سهم کارِ هر دو، منهای یک"},
      {"ideal", "آرمانی"},
      {"{} = the longer of data {} and train {}; reached {} ({} wanted)",
       "{} = بلندترِ دادهٔ {} و آموزشِ {}؛ {} به دست آمد ({} خواسته بود)"},

      // Parts of an analysis.
      {"the machine, its storage and the configuration", "دستگاه، ذخیره‌ساز آن و پیکربندی"},
      {"the data set", "مجموعه‌داده"},
      {"a training step", "یک گام آموزش"},
      {"the loader at the trainer's pace", "بارگذار با گام‌های آموزش"},
      {"batch sizes and workers", "اندازهٔ دسته و شمار کارگرها"},
      {"two devices against one", "دو دستگاه در برابر یکی"},
      {"done", "انجام شد"},
      {"failed", "ناکام"},
      {"cut_short", "بریده"},
      {"missing", "نیامده"},
      {"too little could be measured", "کمتر از آن بود که بتوان سنجید"},
      {"its share of --budget was over", "سهمش از \u2068--budget\u2069 به پایان رسید"},

      // Steadiness and trend.
      {"intermittent stalls", "ایست‌های گاه‌به‌گاه"},
      {"drift", "رانش"},
      {"level shift", "جابه‌جایی سطح"},

      // Units of evidence.
      {"/s", " در ثانیه"},
      {"W", "وات"},
      {"degrees C", "درجهٔ سلسیوس"},
      {"GPUs", "GPU"},
      {"code", "کد"},
      {"errors", "خطا"},
      {"faults", "خطای صفحه"},
      {"gen", "نسل"},
      {"kinds", "گونه"},
      {"lanes", "خط"},
      {"level", "سطح"},
      {"node", "گره"},
      {"nodes", "گره"},
      {"processes", "فرایند"},
      {"threads", "رشته"},

      // Where a gain comes from.
      {"measured", "سنجیده"},
      {"clocks", "بسامدها"},

      // How to see that a fix worked.
      {"nvidia-smi -q -d PERFORMANCE while it trains",
       "\u2068nvidia-smi -q -d PERFORMANCE\u2069 هنگام آموزش"},
      {"qanat devices, beside nvidia-smi -L",
       "\u2068qanat devices\u2069 در کنار \u2068nvidia-smi -L\u2069"},
      {"qanat diagnose on the copy: compare the storage section",
       "\u2068qanat diagnose\u2069 روی رونوشت: بخش ذخیره‌گاه را "
       "بسنجید"},
      {"qanat precompute --train-data DIR, then run again",
       "\u2068qanat precompute --train-data DIR\u2069، سپس دوباره اجرا کنید"},
      {"qanat profile dual with the flag", "\u2068qanat profile dual\u2069 با همین پرچم"},
      {"qanat validate compares one GPU with two",
       "\u2068qanat validate\u2069 یک GPU را با دو می‌سنجد"},
      {"qanat validate measures the copies in GB/s",
       "\u2068qanat validate\u2069 رونوشت‌برداری را به گیگابایت در "
       "ثانیه "
       "می‌سنجد"},
      {"qanat validate measures the link in GB/s",
       "\u2068qanat validate\u2069 پیوند را به گیگابایت در ثانیه "
       "می‌سنجد"},
  });
  return kSentences;
}

}  // namespace qanat
