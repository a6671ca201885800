// The sentences about host, storage and GPUs, and those of `qanat diagnose`.
#include <array>

#include "report/persian.h"

namespace qanat {

std::span<const Translation> persian_host_sentences() {
  static constexpr auto kSentences = std::to_array<Translation>({
      // Host.
      {"threads want {} cores, but the quota of the container is {}",
       "رشته‌ها {} هسته می‌خواهند، اما سهمیهٔ کانتینر {} "
       "است"},
      {"the quota of {} cores was used up and stopped the run {} % of the time",
       "سهمیهٔ {} هسته تمام شد و اجرا را {}٪ از زمان نگه داشت"},
      {"everything stood still {} % of the time for want of {}",
       "همه‌چیز {}٪ از زمان به سبب کمبود {} ایستاد"},
      {"memory", "حافظه"},
      {"storage", "ذخیره‌ساز"},
      {"{} threads want to run on {} cores; the trainer waits for a core {} % of its time",
       "{} رشته می‌خواهند روی {} هسته کار کنند؛ آموزنده {}٪ از زمانش منتظر هسته "
       "است"},
      {"{} threads want to run on {} core; the trainer waits for a core {} % of its time",
       "{} رشته می‌خواهند روی {} هسته کار کنند؛ آموزنده {}٪ از زمانش منتظر هسته "
       "است"},
      {"other programs use {} % of the cores; the trainer waits for one {} % of its time",
       "برنامه‌های دیگر {}٪ از هسته‌ها را گرفته‌اند؛ آموزنده {}٪ از زمانش منتظر هسته "
       "است"},
      {"GPU {} hangs on memory node {}, the threads may run on {}",
       "GPU {} به گرهٔ حافظهٔ {} وصل است، رشته‌ها روی {} کار "
       "می‌کنند"},
      {"memory is short: {} MB/s go to the swap area and back",
       "حافظه کم است: {} مگابایت در ثانیه به فضای تبادل می‌رود و "
       "برمی‌گردد"},
      {"the governor keeps cores at their lowest clock ({}, {})",
       "حاکمِ بسامد هسته‌ها را در کمترین بسامد نگه می‌دارد ({}، "
       "{})"},
      {"batches take {} MB, but only {} MB may be page-locked",
       "دسته‌ها {} مگابایت می‌گیرند، اما تنها {} مگابایت را می‌توان قفل "
       "کرد"},
      {"no quota limits the processor time",
       "سهمیه‌ای زمان پردازنده را محدود نمی‌کند"},
      {"threads want {} cores, the quota is {}",
       "رشته‌ها {} هسته می‌خواهند، سهمیه {} است"},
      {"the quota stopped the run {} % of the time", "سهمیه اجرا را {}٪ از زمان نگه داشت"},
      {"everything stood still {} % of the time for memory, {} % for storage",
       "همه‌چیز {}٪ از زمان برای حافظه و {}٪ برای ذخیره‌ساز "
       "ایستاد"},
      {"threads want {} of {} cores; the trainer waits for a core {} % of its time",
       "رشته‌ها {} از {} هسته را می‌خواهند؛ آموزنده {}٪ از زمانش منتظر هسته "
       "است"},
      {"one memory node", "یک گرهٔ حافظه"},
      {"{} MB/s go to the swap area and back",
       "{} مگابایت در ثانیه به فضای تبادل می‌رود و "
       "برمی‌گردد"},
      {"{} MB may be page-locked; without a GPU it wins nothing",
       "{} مگابایت را می‌توان قفل کرد؛ بی GPU سودی ندارد"},
      {"any amount of memory may be page-locked",
       "هر اندازه حافظه را می‌توان قفل کرد"},
      {"the host was looked at only once", "میزبان تنها یک بار دیده شد"},
      {"threads that spin while they wait want more than they need",
       "رشته‌هایی که در انتظار می‌چرخند بیش از نیازشان "
       "می‌خواهند"},
      {"another process of the same group used the quota up",
       "فرایند دیگری از همان گروه سهمیه را تمام کرد"},
      {"another program of the machine or group caused it",
       "برنامهٔ دیگری از ماشین یا گروه سبب آن شد"},
      {"the work of the loader has to be done by some core anyway",
       "کار بارگذار را به هر حال هسته‌ای باید بکند"},

      // Storage.
      {"training reads {} MB/s, but storage gives {} MB/s when files are not in memory",
       "آموزش {} مگابایت در ثانیه می‌خواند، اما ذخیره‌ساز برای پرونده‌هایی که در حافظه "
       "نیستند {} "
       "مگابایت در ثانیه می‌دهد"},
      {"the device waits, and {} % of what was read came from storage ({} MB/s)",
       "دستگاه منتظر است و {}٪ از آنچه خوانده شد از ذخیره‌ساز آمد ({} مگابایت در "
       "ثانیه)"},
      {"the data lies on {} ({})", "داده روی {} است ({})"},
      {"the data lies on {}", "داده روی {} است"},
      {"a network or shared file system",
       "سامانهٔ پروندهٔ شبکه‌ای یا مشترک"},
      {"the layers of a container", "لایه‌های کانتینر"},
      {"{} small files: opening one takes {} % of the time to read it",
       "{} پروندهٔ کوچک: باز کردن هر یک {}٪ از زمان خواندنش را "
       "می‌گیرد"},
      {"the device waits, and {} % of the loader's time goes into reading, decoding and resampling",
       "دستگاه منتظر است و {}٪ از زمان بارگذار به خواندن، رمزگشایی و بازنمونه‌گیری "
       "می‌رود"},
      {"training reads {} MB/s, storage gives {} MB/s cold to {} workers",
       "آموزش {} مگابایت در ثانیه می‌خواند، ذخیره‌ساز سرد {} مگابایت در ثانیه به {} کارگر "
       "می‌دهد"},
      {"training reads {} MB/s, storage gives {} MB/s cold to {} worker",
       "آموزش {} مگابایت در ثانیه می‌خواند، ذخیره‌ساز سرد {} مگابایت در ثانیه به {} کارگر "
       "می‌دهد"},
      {"{} % of {} MB came from storage, the rest from memory",
       "{}٪ از {} مگابایت از ذخیره‌ساز آمد، بقیه از حافظه"},
      {"reading and decoding take {} % of the loader's time, the device waits {} %",
       "خواندن و رمزگشایی {}٪ از زمان بارگذار را می‌گیرد، دستگاه {}٪ منتظر "
       "است"},
      {"storage was not measured in this run; `qanat diagnose` does, on the files of the data set",
       "ذخیره‌ساز در این اجرا اندازه گرفته نشد؛ `qanat diagnose` روی پرونده‌های داده این کار "
       "را "
       "می‌کند"},

      // GPUs.
      {"no NVIDIA GPU can be seen: {}", "هیچ GPU از NVIDIA دیده نمی‌شود: {}"},
      {"{} is here, but this run does not use it",
       "{} هست، اما این اجرا آن را به کار نمی‌گیرد"},
      {"{} is here, but this run does not use it: it trains on {}",
       "{} هست، اما این اجرا آن را به کار نمی‌گیرد و روی {} آموزش "
       "می‌دهد"},
      {"{} ran below its clock {} % of its busy time: {}",
       "{} در {}٪ از زمان کارش کندتر از بسامدش بود: {}"},
      {"temperature", "دما"},
      {"power limit", "سقف توان"},
      {"the link of {} runs at generation {} x{}, it could do {} x{}",
       "پیوند {} با نسل {} و پهنای {} کار می‌کند، نسل {} و پهنای {} هم "
       "می‌توانست"},
      {"the memory of {} has errors", "حافظهٔ {} خطا دارد"},
      {"{} was lost: the driver cannot reach it any more",
       "{} گم شد: راه‌انداز دیگر به آن نمی‌رسد"},
      {"{} had error {} (Xid)", "{} خطای {} داد (Xid)"},
      {"the GPUs cannot copy to each other: batches go through host memory",
       "GPUها نمی‌توانند به هم رونوشت کنند: دسته‌ها از حافظهٔ میزبان "
       "می‌گذرند"},
      {"the two GPUs hang on different sockets: copies cross the link between them",
       "دو GPU به دو سوکت وصل‌اند: رونوشت‌ها از پیوند میان آن‌ها "
       "می‌گذرند"},

      // qanat diagnose.
      {"HARDWARE", "سخت‌افزار"},
      {"CONFIGURATION", "پیکربندی"},
      {"DATA SET", "مجموعهٔ داده"},
      {"LOADER", "بارگذار"},
      {"COMPUTE PATH", "مسیر محاسبه"},
      {"MEMORY", "حافظه"},
      {"STORAGE", "ذخیره‌ساز"},
      {"RUNTIME", "زمان اجرا"},
      {"ISSUES", "مشکل‌ها"},
      {"RECOMMENDATIONS", "پیشنهادها"},
      {"CONFIGURATION CHANGES", "تغییرهای پیکربندی"},
      {"CHECKS", "بررسی‌ها"},
      {"flags", "پرچم‌ها"},
      {"verify:", "آزمودن:"},
      {"skipped:", "انجام نشد:"},
      {"no data set was given; try --data-path DIR",
       "مجموعهٔ داده‌ای داده نشد؛ ‎--data-path DIR را "
       "بیازمایید"},
      {"the data set cannot be used", "مجموعهٔ داده به کار نمی‌آید"},
      {"--quick does not train", "‎--quick آموزش نمی‌دهد"},
      {"nothing is wrong with what could be checked", "در آنچه بررسی شد ایرادی نبود"},
      {"none: nothing that a flag or key would change is worth changing",
       "هیچ: چیزی که پرچم یا کلیدی عوضش کند ارزش تغییر ندارد"},
      {"predicted {} ms per step", "پیش‌بینی: {} میلی‌ثانیه در هر گام"},
      {"{} of {} rows of the data set are not used",
       "{} از {} سطر مجموعهٔ داده به کار نمی‌رود"},
  });
  return kSentences;
}

}  // namespace qanat
