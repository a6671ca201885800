// The sentences of diagnosis: verdicts, what rules find, why they may be wrong, what was fine.
#include <array>

#include "report/persian.h"

namespace qanat {

std::span<const Translation> persian_finding_sentences() {
  static constexpr auto kSentences = std::to_array<Translation>({
      // Verdicts.
      {"BALANCED", "متوازن"},
      {"INPUT-BOUND", "معطلِ داده"},
      {"TRANSFER-BOUND", "معطلِ انتقال"},
      {"HOST-OVERHEAD", "سربار میزبان"},
      {"COMPUTE-BOUND", "محدود به محاسبه"},
      {"INCOMPLETE", "ناتمام"},
      {"{} % of the time of a step is unaccounted for",
       "{}٪ از زمان هر گام معلوم نیست کجا رفته است"},
      {"the device works {} % of the time; nothing worth changing",
       "دستگاه {}٪ از زمان کار می‌کند؛ چیزی نیست که تغییرش "
       "بیرزد"},
      {"{} steps after the warm-up; a verdict needs {}",
       "{} گام پس از گرم شدن؛ برای حکم {} گام لازم است"},
      {"too few steps", "گام‌ها کم‌اند"},
      {"{} % of the step time is recoverable", "{}٪ از زمان هر گام بازیافتنی است"},

      // Data.
      {"{} loader worker cannot keep up, and cores are idle",
       "{} کارگرِ بارگذار نمی‌رسد، در حالی که هسته‌ها "
       "بیکارند"},
      {"{} loader workers cannot keep up, and cores are idle",
       "{} کارگرِ بارگذار نمی‌رسند، در حالی که هسته‌ها "
       "بیکارند"},
      {"preparing data fills all {} allowed cores, {} % of it in {}",
       "آماده‌سازی داده هر {} هستهٔ مجاز را پر کرده است، "
       "{}٪ "
       "آن "
       "در "
       "{}"},
      {"workers idle {} % of their time, yet the device waits: {} batches of buffer are too few "
       "for how much preparing them varies",
       "کارگرها {}٪ از زمان بیکارند و با این همه دستگاه منتظر "
       "می‌ماند: "
       "{} "
       "دسته "
       "در "
       "بافر "
       "برای "
       "کاری "
       "چنین ناهموار کم است"},
      {"{} % of the frames are padding", "{}٪ از قاب‌ها پرکننده‌اند"},
      {"{} rows were filled with another utterance", "{} ردیف با گفتهٔ دیگری پر شد"},
      {"batches arrive late at the model device: their way is not hidden by work",
       "دسته‌ها دیر به دستگاهِ مدل می‌رسند: راهشان پشت "
       "محاسبه "
       "پنهان "
       "نمی‌ماند"},
      {"the device waits for data {} % of the time", "دستگاه {}٪ از زمان منتظر داده است"},
      {"the device waits for transfers {} % of the time", "دستگاه {}٪ از زمان منتظر انتقال است"},
      {"the journal has no line about the loader", "در دفتر رویدادها سطری دربارهٔ بارگذار نیست"},
      {"the journal does not say how many cores the run may use",
       "دفتر رویدادها نمی‌گوید اجرا چند هسته می‌تواند "
       "به "
       "کار "
       "بگیرد"},
      {"{} workers, {} % busy, {} cores allowed", "{} کارگر، {}٪ مشغول، {} هستهٔ مجاز"},
      {"{} % of the frames are padding, which costs {} % of a step",
       "{}٪ از قاب‌ها پرکننده‌اند و {}٪ از هر گام را "
       "می‌گیرند"},
      {"workers are busy all the time: depth is not what is missing",
       "کارگرها همیشه مشغول‌اند: کمبود از عمق نیست"},
      {"nothing is loaded ahead: the device waits while each batch is made",
       "هیچ چیز از پیش بارگذاری نمی‌شود: تا هر دسته ساخته شود دستگاه "
       "منتظر "
       "می‌ماند"},
      {"every utterance could be used", "همهٔ گفته‌ها به کار رفتند"},
      {"other programs use the idle cores, or storage is the limit",
       "برنامه‌های دیگر هسته‌های بیکار را می‌گیرند، یا "
       "تنگنا "
       "حافظهٔ "
       "ذخیره "
       "است"},
      {"epochs after the first come from memory: a longer run may not wait",
       "دوره‌های پس از نخستین از حافظه می‌آیند: شاید "
       "اجرای "
       "بلندتر "
       "منتظر "
       "نماند"},
      {"the workers were held up by something that is not journalled",
       "چیزی کارگرها را نگه داشته که در دفتر رویدادها نیامده است"},
      {"the shapes are fixed on purpose, for graphs",
       "شکل‌ها به عمد ثابت‌اند، برای گراف‌ها"},
      {"the data device itself is slower than the model: compare with one GPU",
       "خودِ دستگاهِ داده از مدل کندتر است: با یک GPU بسنجید"},

      {"{} loader worker", "{} کارگرِ بارگذار"},
      {"{} loader workers", "{} کارگرِ بارگذار"},
      {"{} batch", "{} دسته"},
      {"{} batches", "{} دسته"},
      {"{} wait for files {} % of the time: storage does not keep up",
       "{} در {}٪ از زمان منتظر فایل‌هاست: ذخیره‌گاه "
       "نمی‌رسد"},
      {"{} waits for files {} % of the time: storage does not keep up",
       "{} در {}٪ از زمان منتظر فایل‌هاست: ذخیره‌گاه "
       "نمی‌رسد"},
      {"{} cannot keep up, and {} of {} cores are idle",
       "{} نمی‌رسد، و {} از {} هسته بیکار است"},
      {"{} wait for each other {} % of the time: a part of their work is done by one at a time",
       "{} در {}٪ از زمان منتظر یکدیگرند: بخشی از کارشان نوبتی است"},
      {"workers idle {} % of their time, yet the device waits: {} of buffer are too few for how "
       "much preparing them varies",
       "کارگرها {}٪ از زمان بیکارند و با این همه دستگاه منتظر "
       "می‌ماند: "
       "{} "
       "در "
       "بافر "
       "برای "
       "کاری "
       "چنین "
       "ناهموار کم است"},
      {"this program has more threads at work than its {} cores: loader workers wait for a core "
       "{} % of the time",
       "نخ‌های این برنامه از {} هسته‌اش بیشترند: کارگرها "
       "{}٪ "
       "از "
       "زمان "
       "منتظر "
       "هسته‌اند"},
      {"the device waits at the start of every epoch",
       "دستگاه در آغاز هر دوره منتظر می‌ماند"},
      {"the first batches of an epoch are unlike the others",
       "نخستین دسته‌های هر دوره با دیگران فرق دارند"},
      {"{} % of the files take {} % of the workers' time",
       "{}٪ از فایل‌ها {}٪ از زمان کارگرها را می‌گیرد"},
      {"{} % of the files take {} % of the workers' time, first of all {}",
       "{}٪ از فایل‌ها {}٪ از زمان کارگرها را می‌گیرد، پیش "
       "از "
       "همه "
       "{}"},
      {"workers wait for pages that memory could not hold: {} for every row",
       "کارگرها منتظر صفحه‌هایی‌اند که در حافظه جا نشد: "
       "{} "
       "برای "
       "هر "
       "ردیف"},
      {"a processor quota stops the workers",
       "سهمیهٔ پردازنده کارگرها را نگه می‌دارد"},
      {"other programs use the cores: loader workers wait for one {} % of the time",
       "برنامه‌های دیگر هسته‌ها را گرفته‌اند: کارگرها "
       "{}٪ "
       "از "
       "زمان "
       "منتظر "
       "هسته‌اند"},
      {"the device waits, and the cause is another one: {} ({})",
       "دستگاه منتظر است، اما سبب چیز دیگری است: {} ({})"},
      {"the device behind the files gives no more to many readers than to few; qanat diagnose "
       "measures it",
       "دستگاهِ پشت فایل‌ها به خوانندگان بسیار بیش از "
       "اندک "
       "نمی‌دهد؛ "
       "\u2068qanat "
       "diagnose\u2069 می‌سنجد"},
      {"other programs use the idle cores at other times",
       "برنامه‌های دیگر گاهی هسته‌های بیکار را "
       "می‌گیرند"},
      {"more workers make it worse; what they share has to be split",
       "کارگرِ بیشتر بدترش می‌کند؛ آنچه مشترک است باید "
       "بخش "
       "شود"},
      {"the threads are needed, and the machine is too small",
       "نخ‌ها لازم‌اند و رایانه کوچک است"},
      {"other files would be slow in another run: storage stalls now and then",
       "در اجرای دیگر فایل‌های دیگری کندند: ذخیره‌گاه "
       "گاه "
       "می‌ایستد"},
      {"it is over when the run is repeated",
       "با تکرار اجرا از میان می‌رود"},
      {"the device waits for copies {} % of the time",
       "دستگاه {}٪ از زمان منتظر رونوشت‌هاست"},
      {"batches are copied ahead, from page-locked memory",
       "دسته‌ها پیشاپیش و از حافظهٔ قفل‌شده رونوشت "
       "می‌شوند"},
      {"batches are copied from memory that is not page-locked",
       "دسته‌ها از حافظهٔ قفل‌نشده رونوشت می‌شوند"},
      {"batches are copied only when the device has nothing left to do",
       "دسته‌ها تنها هنگامی رونوشت می‌شوند که دستگاه "
       "کاری "
       "ندارد"},
      {"the link is slower than the device in any case", "پیوند به هر حال از دستگاه کندتر است"},
      {"the journal does not say what making features costs",
       "دفتر رویدادها نمی‌گوید ساختن ویژگی‌ها چه "
       "هزینه‌ای "
       "دارد"},
      {"making features takes {} of {} cores",
       "ساختن ویژگی‌ها {} از {} هسته را می‌گیرد"},
      {"making features takes {} of {} cores in every epoch; made once, they would be read",
       "ساختن ویژگی‌ها در هر دوره {} از {} هسته را می‌گیرد؛ "
       "اگر "
       "یک "
       "بار "
       "ساخته "
       "شوند "
       "تنها "
       "خوانده "
       "می‌شوند"},
      {"the cores have nothing else to do", "هسته‌ها کار دیگری ندارند"},

      // Two devices.
      {"the data side takes longer than the model side",
       "سمتِ داده از سمتِ مدل بیشتر زمان می‌گیرد"},
      {"data side {} ms, model side {} ms a batch; the data device is busy {} % of the time",
       "برای هر دسته سمتِ داده {} و سمتِ مدل {} میلی‌ثانیه؛ دستگاهِ داده {}٪ "
       "از "
       "زمان "
       "مشغول "
       "است"},
      {"features and loader share cores with the model here",
       "ویژگی‌ها و بارگذار این‌جا با مدل در هسته‌ها "
       "شریک‌اند"},
      {"{} % of the ideal, the longer of the two sides", "{}٪ از حالت آرمانی، یعنی سمتِ درازتر"},
      {"the two devices wait for each other: {} % of the ideal",
       "دو دستگاه منتظر یکدیگرند: {}٪ از حالت آرمانی"},
      {"both devices share memory or cores, and slow each other down",
       "دو دستگاه حافظه یا هسته‌های مشترک دارند و یکدیگر "
       "را "
       "کند "
       "می‌کنند"},
      {"two devices deliver {}x of what one does [{}, {}]",
       "دو دستگاه {} برابرِ یکی می‌دهند [{}، {}]"},
      {"one device alone is faster than the two", "یک دستگاه تنها از دو دستگاه تندتر است"},
      {"the machine was busy with something else during one of the modes",
       "رایانه در یکی از حالت‌ها سرگرم کار دیگری بود"},
      {"one of two devices does more than its part",
       "یکی از دو دستگاه بیش از سهمش کار می‌کند"},
      {"two devices that work one after the other",
       "دو دستگاه که یکی پس از دیگری کار می‌کنند"},
      {"two devices that are slower than one", "دو دستگاه که از یکی کندترند"},

      // Compute.
      {"{} % of a step is overhead that larger batches would share",
       "{}٪ از هر گام سرباری است که دسته‌های بزرگ‌تر میان "
       "خود "
       "بخش "
       "می‌کنند"},
      {"the optimizer takes {} % of a step",
       "بهینه‌ساز {}٪ از هر گام را می‌گیرد"},
      {"the device waits {} % of the time for saving, validating or logging",
       "دستگاه {}٪ از زمان منتظر ذخیره، اعتبارسنجی یا ثبت است"},
      {"{} of {} steps ran out of memory and were done in parts",
       "{} از {} گام حافظه کم آوردند و تکه‌تکه انجام شدند"},
      {"the batches are too alike to tell a fixed cost from the cost of work",
       "دسته‌ها آن‌قدر همانندند که هزینهٔ ثابت از "
       "هزینهٔ "
       "کار "
       "جدا "
       "نمی‌شود"},
      {"{} % of a step does not depend on its frames",
       "{}٪ از هر گام به قاب‌هایش بستگی ندارد"},
      {"saving and logging take {} % of the time",
       "ذخیره و ثبت {}٪ از زمان را می‌گیرد"},
      {"no step had to be done again for want of memory",
       "هیچ گامی برای کمبود حافظه از نو انجام نشد"},
      {"a larger batch changes training; learning rate may need to follow",
       "دستهٔ بزرگ‌تر آموزش را عوض می‌کند؛ شاید نرخ "
       "یادگیری "
       "هم "
       "باید "
       "همراه "
       "شود"},
      {"accumulating makes updates rarer, which changes training",
       "انباشتن به‌روزرسانی‌ها را کمتر و آموزش را "
       "دگرگون "
       "می‌کند"},
      {"rarer checkpoints lose more when the machine fails",
       "هرچه کمتر ذخیره شود، با خرابی دستگاه بیشتر از دست "
       "می‌رود"},

      // Rhythm.
      {"every {}th step takes {} ms more, which is {}",
       "هر {} گام یکی {} میلی‌ثانیه بیشتر می‌گیرد، و این "
       "همان "
       "{} "
       "است"},
      {"every {}th step takes {} ms more, cause unknown",
       "هر {} گام یکی {} میلی‌ثانیه بیشتر می‌گیرد، به سببی "
       "ناشناخته"},
      {"batches of an epoch", "دسته‌های یک دوره"},
      {"steps got {} ms slower over the run",
       "گام‌ها در طول اجرا {} میلی‌ثانیه کندتر شدند"},
      {"from step {} on, steps take {} ms more",
       "از گام {} به بعد، گام‌ها {} میلی‌ثانیه بیشتر "
       "می‌گیرند"},
      {"{} steps took unusually long, the longest is step {}",
       "{} گام بیش از اندازه طول کشید؛ درازترین، گام {} است"},
      {"steps of equal work vary by {} %",
       "گام‌های هم‌کار {}٪ با هم فرق دارند"},
      {"{} steps are too few to test for periods", "{} گام برای آزمون دوره کم است"},
      {"no period of 2 to {} steps (p = {})",
       "دوره‌ای از ۲ تا {} گام نیست (مقدار \u2068p\u2069: {})"},
      {"steps do not get slower", "گام‌ها کندتر نمی‌شوند"},
      {"steps did not get slower at one moment",
       "گام‌ها در یک لحظه کندتر نشدند"},
      {"{} % of the time lies in unusually long steps",
       "{}٪ از زمان در گام‌های بیش از اندازه بلند است"},
      {"one in a hundred steady runs looks periodic by chance",
       "از هر صد اجرای یکنواخت یکی به تصادف دوره‌ای "
       "می‌نماید"},
      {"another program came to use the machine, or a processor got hot",
       "برنامهٔ دیگری به کار افتاده، یا پردازنده‌ای داغ "
       "شده "
       "است"},
      {"another program started then", "در آن هنگام برنامهٔ دیگری آغاز شده است"},
      {"the machine was used by others at these moments",
       "در آن لحظه‌ها دیگران از این رایانه کار "
       "می‌کشیدند"},
      {"the machine is shared, or its processors change their speed",
       "رایانه مشترک است، یا پردازنده‌هایش سرعت عوض "
       "می‌کنند"},

      // How to verify.
      {"run again with the flag, then: {}", "با این پرچم از نو اجرا کنید، سپس: {}"},
      {"qanat validate measures the link in GB/s and ms per batch",
       "\u2068qanat validate\u2069 پیوند را به گیگابایت بر ثانیه و "
       "میلی‌ثانیه "
       "برای "
       "هر "
       "دسته "
       "می‌سنجد"},
      {"qanat top, or a second run: does it start fast again?",
       "\u2068qanat top\u2069 یا اجرایی دیگر: آیا باز تند آغاز "
       "می‌شود؟"},
      {"look into the journal around that step: what else happened?",
       "دفتر رویدادها را گرد آن گام ببینید: دیگر چه رخ داد؟"},
      {"look at the phases of those steps in the journal: which one was long?",
       "بخش‌های آن گام‌ها را در دفتر رویدادها ببینید: "
       "کدام "
       "بلند "
       "بود؟"},
      {"qanat train with fewer loader workers: does it get steadier?",
       "\u2068qanat train\u2069 با کارگرهای کمتر: آیا یکنواخت‌تر "
       "می‌شود؟"},

      // How a gain was found.
      {"ledger", "دفترِ گام"},
      {"ledger, per utterance", "دفترِ گام، برای هر گفته"},
      {"work model", "مدلِ کار"},
      {"work model, per utterance", "مدلِ کار، برای هر گفته"},
      {"fold test", "آزمونِ تا کردن"},
      {"trend", "روند"},
      {"outliers of the adjusted times", "پرت‌های زمان‌های تعدیل‌شده"},
      {"excess over the median", "بیش از میانه"},
      {"replay", "بازپخش"},
      {"rate", "نرخ"},
      {"{} loader worker waits for files {} % of the time: storage does not keep up",
       "{} کارگرِ بارگذار {}٪ از زمان منتظر فایل است: حافظهٔ ذخیره "
       "نمی‌رسد"},
      {"{} loader workers wait for files {} % of the time: storage does not keep up",
       "{} کارگرِ بارگذار {}٪ از زمان منتظر فایل‌اند: "
       "حافظهٔ "
       "ذخیره "
       "نمی‌رسد"},
      {"{} loader worker cannot keep up, and {} of {} cores are idle",
       "{} کارگرِ بارگذار نمی‌رسد، در حالی که {} از {} هسته "
       "بیکارند"},
      {"{} loader workers cannot keep up, and {} of {} cores are idle",
       "{} کارگرِ بارگذار نمی‌رسند، در حالی که {} از {} هسته "
       "بیکارند"},
      {"{} loader workers wait for each other {} % of the time: a part of their work is done by "
       "one "
       "at a time",
       "{} کارگرِ بارگذار {}٪ از زمان منتظر یکدیگرند: بخشی از کارشان را هر بار یکی انجام "
       "می‌دهد"},
      {"journal", "دفتر اجرا"},
      {"{} % of the time", "{}٪ از زمان"},
      {"explained by {}: the same time is not won twice",
       "سببش {} است: یک زمان دو بار به دست نمی‌آید"},
      {"worth {}x once the ones above are fixed",
       "پس از رفع یافته‌های بالا {} برابر می‌ارزد"},
  });
  return kSentences;
}

}  // namespace qanat
