// The sentences of the rules about hardware, host and storage.
#include <array>

#include "report/persian.h"

namespace qanat {

std::span<const Translation> persian_host_sentences() {
  static constexpr auto kSentences = std::to_array<Translation>({
      // Hardware.
      {"the journal has no line about GPUs", "در دفتر رویدادها سطری دربارهٔ GPUها نیست"},
      {"place unknown", "جای نامعلوم"},
      {"the GPUs were listed, but not looked at",
       "GPUها فهرست شدند، اما نگاهی به آن‌ها نشد"},
      {"no NVIDIA GPU can be seen: {}", "هیچ GPU ساخت NVIDIA دیده نمی‌شود: {}"},
      {"{} GPUs, training on {}", "{} GPU، آموزش روی {}"},
      {"{} is here, but this run does not use it",
       "{} هست، اما این اجرا به کارش نمی‌گیرد"},
      {"{} is here, but this run does not use it: it trains on {}",
       "{} هست، اما این اجرا به کارش نمی‌گیرد: روی {} آموزش "
       "می‌دهد"},
      {"the card is meant for something else", "کارت برای کار دیگری است"},
      {"driver {} answers", "راه‌انداز {} پاسخ می‌دهد"},
      {"the NVIDIA library and the loaded driver are of different versions",
       "کتابخانهٔ NVIDIA و راه‌اندازِ بارشده از دو نسخهٔ "
       "متفاوت‌اند"},
      {"the NVIDIA library is here, but its driver is not loaded",
       "کتابخانهٔ NVIDIA هست، اما راه‌اندازش بار نشده است"},
      {"GPUs are numbered by bus, as nvidia-smi does",
       "GPUها به ترتیب گذرگاه شماره دارند، چنان‌که "
       "\u2068nvidia-smi\u2069 "
       "می‌شمارد"},
      {"all GPUs are alike, so their order does not matter",
       "همهٔ GPUها همانندند، پس ترتیبشان مهم نیست"},
      {"GPUs of different kinds ({}) are numbered fastest first, not as nvidia-smi numbers them",
       "GPUهای ناهمسان ({}) از تندترین شماره خورده‌اند، نه "
       "چنان‌که "
       "\u2068nvidia-smi\u2069 "
       "می‌شمارد"},
      {"clocks were not limited while the GPUs worked", "بسامدِ GPUها هنگام کار محدود نبود"},
      {"{} ran below its clock {} % of its busy time: {}",
       "{} در {}٪ از زمانِ کارش پایین‌تر از بسامد خود کار "
       "کرد: "
       "{}"},
      {"part of a step does not depend on the clock", "بخشی از گام به بسامد بستگی ندارد"},
      {"no GPU was busy while its link was looked at", "هنگام نگاه به پیوند، هیچ GPUیی مشغول نبود"},
      {"links are as wide and fast as the cards allow",
       "پیوندها به پهنا و تندی‌ای هستند که کارت‌ها "
       "می‌توانند"},
      {"the link of {} runs at generation {} x{}, it could do {} x{}",
       "پیوند {} با نسل {} و {} خط کار می‌کند؛ می‌توانست نسل "
       "{} "
       "با "
       "{} "
       "خط "
       "باشد"},
      {"the board has no better slot; transfers are hidden behind work",
       "برد جای بهتری ندارد؛ انتقال‌ها پشت کار "
       "پنهان‌اند"},
      {"no uncorrected errors, no rows wait to be replaced",
       "خطای اصلاح‌نشده‌ای نیست و ردیفی چشم‌به‌راهِ "
       "جایگزینی "
       "نیست"},
      {"these GPUs do not count errors of their memory",
       "این GPUها خطاهای حافظهٔ خود را نمی‌شمارند"},
      {"the memory of {} has errors", "حافظهٔ {} خطا دارد"},
      {"the errors happened before this run",
       "خطاها پیش از این اجرا رخ داده‌اند"},
      {"the machine was too busy to answer in time",
       "رایانه چنان مشغول بود که به‌هنگام پاسخ نداد"},
      {"the driver reported no errors, no GPU was lost",
       "راه‌انداز خطایی گزارش نکرد و هیچ GPUیی از دست نرفت"},
      {"{} was lost: the driver cannot reach it any more",
       "{} از دست رفت: راه‌انداز دیگر به آن نمی‌رسد"},
      {"{} had error {} (Xid)", "{} خطای {} داشت (\u2068Xid\u2069)"},
      {"Xid 13, 31 and 45 can be caused by a program",
       "خطاهای \u2068Xid\u2069 ۱۳، ۳۱ و ۴۵ می‌توانند از خودِ "
       "برنامه "
       "باشند"},
      {"no other process computes on these GPUs",
       "پردازش دیگری روی این GPUها محاسبه نمی‌کند"},
      {"this driver does not list processes",
       "این راه‌انداز پردازش‌ها را فهرست نمی‌کند"},
      {"{} other process on {}", "{} پردازش دیگر روی {}"},
      {"{} other processes on {}", "{} پردازش دیگر روی {}"},
      {"they only hold memory and compute nothing now",
       "تنها حافظه گرفته‌اند و اکنون محاسبه‌ای "
       "نمی‌کنند"},
      {"at most {} % of the memory of a GPU was used", "دست بالا {}٪ از حافظهٔ یک GPU به کار رفت"},
      {"these GPUs do not say how much memory is used",
       "این GPUها نمی‌گویند چه اندازه حافظه به کار رفته "
       "است"},
      {"{} % of the memory of {} is used", "{}٪ از حافظهٔ {} پر است"},
      {"libtorch keeps memory it may need again; it is not all in use",
       "\u2068libtorch\u2069 حافظه‌ای را که شاید باز بخواهد نگه "
       "می‌دارد؛ "
       "همه‌اش "
       "به "
       "کار "
       "نیست"},
      {"the driver stays loaded between runs",
       "راه‌انداز میان اجراها بارشده می‌ماند"},
      {"the driver unloads between runs: each one starts a second or more later",
       "راه‌انداز میان اجراها برداشته می‌شود: هر اجرا یک "
       "ثانیه "
       "یا "
       "بیشتر "
       "دیرتر "
       "آغاز "
       "می‌شود"},
      {"a display keeps the driver loaded anyway",
       "نمایشگری راه‌انداز را به هر حال نگه می‌دارد"},
      {"one GPU: there is no pair", "یک GPU: جفتی نیست"},
      {"GPUs copy to each other without the host",
       "GPUها بی‌میانجیِ میزبان به هم می‌دهند"},
      {"the GPUs cannot copy to each other: batches go through host memory",
       "GPUها نمی‌توانند به هم بدهند: دسته‌ها از حافظهٔ "
       "میزبان "
       "می‌گذرند"},
      {"the way over the host is hidden behind work", "گذر از میزبان پشت کار پنهان است"},
      {"copies are not timed here; `qanat validate` measures them in GB/s",
       "زمان رونوشت‌ها این‌جا سنجیده نمی‌شود؛ \u2068qanat "
       "validate\u2069 "
       "آن "
       "را "
       "به "
       "گیگابایت "
       "بر ثانیه می‌سنجد"},
      {"the GPUs hang on one socket", "GPUها به یک سوکت بسته‌اند"},
      {"the two GPUs hang on different sockets: copies cross the link between them",
       "دو GPU به دو سوکت بسته‌اند: رونوشت‌ها از پیوندِ "
       "میان "
       "آن "
       "دو "
       "می‌گذرند"},
      {"copies are hidden behind work", "رونوشت‌ها پشت کار پنهان‌اند"},

      // Host.
      {"the journal has no line about the host (pipeline.monitor_every is 0, or an older run)",
       "در دفتر رویدادها سطری دربارهٔ میزبان نیست (\u2068pipeline.monitor_every\u2069 صفر است، یا "
       "اجرا "
       "قدیمی است)"},
      {"the host was looked at only once", "میزبان تنها یک بار دیده شد"},
      {"no quota limits the processor time",
       "سهمیه‌ای زمان پردازنده را محدود نمی‌کند"},
      {"a quota of {} cores; threads are counted in a run",
       "سهمیهٔ {} هسته؛ نخ‌ها در اجرا شمرده می‌شوند"},
      {"threads want {} cores, the quota is {}",
       "نخ‌ها {} هسته می‌خواهند، سهمیه {} است"},
      {"threads want {} cores, but the quota of the container is {}",
       "نخ‌ها {} هسته می‌خواهند، اما سهمیهٔ ظرف {} است"},
      {"threads that spin while they wait want more than they need",
       "نخ‌هایی که در انتظار می‌چرخند بیش از نیاز "
       "می‌خواهند"},
      {"the quota stopped the run {} % of the time", "سهمیه {}٪ از زمان اجرا را نگه داشت"},
      {"the quota of {} cores was used up and stopped the run {} % of the time",
       "سهمیهٔ {} هسته به پایان رسید و {}٪ از زمان اجرا را نگه داشت"},
      {"another process of the same group used the quota up",
       "پردازش دیگری از همان گروه سهمیه را مصرف کرده است"},
      {"everything stood still {} % of the time for memory, {} % for storage",
       "همه چیز {}٪ از زمان برای حافظه و {}٪ برای ذخیره‌گاه "
       "ایستاد"},
      {"everything stood still {} % of the time for want of {}",
       "همه چیز {}٪ از زمان برای کمبود {} ایستاد"},
      {"memory", "حافظه"},
      {"storage", "ذخیره‌گاه"},
      {"another program of the machine or group caused it",
       "برنامهٔ دیگری از این رایانه یا گروه سببش بوده است"},
      {"threads want {} of {} cores; the trainer waits for a core {} % of its time",
       "نخ‌ها {} از {} هسته را می‌خواهند؛ آموزگار {}٪ از "
       "زمانش "
       "منتظر "
       "هسته "
       "است"},
      {"{} threads want to run on {} core; the trainer waits for a core {} % of its time",
       "{} نخ می‌خواهند روی {} هسته کار کنند؛ آموزگار {}٪ از "
       "زمانش "
       "منتظر "
       "هسته "
       "است"},
      {"{} threads want to run on {} cores; the trainer waits for a core {} % of its time",
       "{} نخ می‌خواهند روی {} هسته کار کنند؛ آموزگار {}٪ از "
       "زمانش "
       "منتظر "
       "هسته "
       "است"},
      {"the work of the loader has to be done by some core anyway",
       "کارِ بارگذار را به هر حال هسته‌ای باید بکند"},
      {"other programs use {} % of the cores; the trainer waits for one {} % of its time",
       "برنامه‌های دیگر {}٪ از هسته‌ها را گرفته‌اند؛ "
       "آموزگار "
       "{}٪ "
       "از "
       "زمانش "
       "منتظر "
       "هسته "
       "است"},
      {"top, sorted by processor; then measure again without them",
       "\u2068top\u2069 را بر پایهٔ پردازنده ببینید؛ سپس بی "
       "آن‌ها "
       "از "
       "نو "
       "بسنجید"},
      {"the others are at work for this run (a mount, a decompressor)",
       "آن دیگران برای همین اجرا کار می‌کنند (اتصال پوشه، "
       "بازکنندهٔ "
       "فشرده)"},
      {"one memory node", "یک گره حافظه"},
      {"which memory node the GPU hangs on is not known",
       "معلوم نیست GPU به کدام گره حافظه بسته است"},
      {"GPU {} hangs on memory node {}, the threads may run on {}",
       "GPU {} به گره حافظهٔ {} بسته است، نخ‌ها شاید روی {} "
       "باشند"},
      {"the same command with and without numactl, then: qanat report",
       "همان فرمان با \u2068numactl\u2069 و بی آن، سپس \u2068qanat report\u2069"},
      {"copies are hidden behind work, so their way does not matter",
       "رونوشت‌ها پشت کار پنهان‌اند، پس راهشان مهم نیست"},
      {"threads run on the node of the GPU ({})",
       "نخ‌ها روی گرهِ GPU کار می‌کنند ({})"},
      {"{} MB/s go to the swap area and back",
       "{} مگابایت بر ثانیه به حافظهٔ جابه‌جایی می‌رود و "
       "می‌آید"},
      {"memory is short: {} MB/s go to the swap area and back",
       "حافظه کم است: {} مگابایت بر ثانیه به حافظهٔ "
       "جابه‌جایی "
       "می‌رود "
       "و "
       "می‌آید"},
      {"another program of the machine is the one that swaps",
       "برنامهٔ دیگری از این رایانه است که جابه‌جا "
       "می‌شود"},
      {"governor {} ({})", "فرماندارِ بسامد {} ({})"},
      {"the governor keeps cores at their lowest clock ({}, {})",
       "فرماندارِ بسامد هسته‌ها را در پایین‌ترین بسامد "
       "نگه "
       "می‌دارد "
       "({}، "
       "{})"},
      {"unknown driver", "راه‌انداز نامعلوم"},
      {"measure again: qanat diagnose with the same flags",
       "از نو بسنجید: \u2068qanat diagnose\u2069 با همان پرچم‌ها"},
      {"the firmware decides about clocks whatever the governor says",
       "سفت‌افزار دربارهٔ بسامد تصمیم می‌گیرد، "
       "فرماندار "
       "هرچه "
       "بگوید"},
      {"any amount of memory may be page-locked",
       "هر اندازه حافظه را می‌توان قفل کرد"},
      {"{} MB may be page-locked; without a GPU it wins nothing",
       "{} مگابایت را می‌توان قفل کرد؛ بی GPU سودی ندارد"},
      {"the journal has no line about the loader, whose blocks are page-locked",
       "در دفتر رویدادها سطری دربارهٔ بارگذار نیست که "
       "بلوک‌هایش "
       "قفل "
       "می‌شوند"},
      {"batches take {} MB, {} MB may be page-locked",
       "دسته‌ها {} مگابایت می‌گیرند و {} مگابایت را "
       "می‌توان "
       "قفل "
       "کرد"},
      {"batches take {} MB, but only {} MB may be page-locked",
       "دسته‌ها {} مگابایت می‌گیرند، اما تنها {} مگابایت "
       "را "
       "می‌توان "
       "قفل "
       "کرد"},
      {"ulimit -l; then measure again", "\u2068ulimit -l\u2069، سپس از نو بسنجید"},
      {"CUDA page-locks through its driver, which this limit does not bind",
       "\u2068CUDA\u2069 از راه راه‌اندازِ خود قفل می‌کند که این "
       "حد "
       "بندش "
       "نیست"},
      {"throttled time", "زمانِ نگه‌داشته"},
      {"pressure stalls", "ایست‌های فشار"},
      {"run-queue delay", "انتظار در صف هسته"},

      // Storage.
      {"storage was not measured in this run; `qanat diagnose` does, on the files of the data set",
       "ذخیره‌گاه در این اجرا سنجیده نشد؛ \u2068qanat diagnose\u2069 "
       "آن "
       "را "
       "با "
       "فایل‌های "
       "مجموعه می‌سنجد"},
      {"training reads {} MB/s, storage gives {} MB/s cold to {} worker",
       "آموزش {} مگابایت بر ثانیه می‌خواند، ذخیره‌گاهِ سرد {} "
       "مگابایت "
       "بر "
       "ثانیه "
       "به "
       "{} "
       "کارگر "
       "می‌دهد"},
      {"training reads {} MB/s, storage gives {} MB/s cold to {} workers",
       "آموزش {} مگابایت بر ثانیه می‌خواند، ذخیره‌گاهِ سرد {} "
       "مگابایت "
       "بر "
       "ثانیه "
       "به "
       "{} "
       "کارگر "
       "می‌دهد"},
      {"training reads {} MB/s, but storage gives {} MB/s when files are not in memory",
       "آموزش {} مگابایت بر ثانیه می‌خواند، اما ذخیره‌گاه بیرون "
       "از "
       "حافظه "
       "{} "
       "مگابایت "
       "بر "
       "ثانیه "
       "می‌دهد"},
      {"later epochs come from memory, if it is large enough",
       "دوره‌های بعدی از حافظه می‌آیند، اگر بزرگ باشد"},
      {"{} % of {} MB came from storage, the rest from memory",
       "{}٪ از {} مگابایت از ذخیره‌گاه آمد و باقی از حافظه"},
      {"the device waits, and {} % of what was read came from storage ({} MB/s)",
       "دستگاه منتظر است و {}٪ از خوانده‌ها از ذخیره‌گاه "
       "آمد "
       "({} "
       "مگابایت "
       "بر "
       "ثانیه)"},
      {"it is the first epoch: the second finds the files in memory",
       "دورهٔ نخست است: دومی فایل‌ها را در حافظه "
       "می‌یابد"},
      {"the data lies on {}", "داده روی {} است"},
      {"the data lies on {} ({})", "داده روی {} است ({})"},
      {"a network or shared file system",
       "سامانهٔ فایل شبکه‌ای یا مشترک"},
      {"the layers of a container", "لایه‌های یک ظرف"},
      {"files stay in the page cache after the first epoch",
       "پس از دورهٔ نخست فایل‌ها در نهانگاهِ صفحه "
       "می‌مانند"},
      {"files of {} kB; opening takes {} % of reading one",
       "فایل‌های {} کیلوبایتی؛ باز کردن {}٪ از خواندن هر "
       "یک "
       "است"},
      {"files of {} kB; opening takes {} % of reading one (from memory)",
       "فایل‌های {} کیلوبایتی؛ باز کردن {}٪ از خواندن هر یک "
       "است "
       "(از "
       "حافظه)"},
      {"{} small files: opening one takes {} % of the time to read it",
       "{} فایل کوچک: باز کردن هر یک {}٪ از زمان خواندنش را "
       "می‌گیرد"},
      {"names stay in memory after the first epoch",
       "پس از دورهٔ نخست نام‌ها در حافظه می‌مانند"},
      {"reading and decoding take {} % of the loader's time, the device waits {} %",
       "خواندن و رمزگشایی {}٪ از زمان بارگذار را می‌گیرد، "
       "دستگاه "
       "{}٪ "
       "منتظر "
       "است"},
      {"the device waits, and {} % of the loader's time goes into reading, decoding and resampling",
       "دستگاه منتظر است و {}٪ از زمان بارگذار در خواندن، رمزگشایی و "
       "بازنمونه‌برداری "
       "می‌رود"},
      {"waiting for storage counts as reading: see IO001 and IO002",
       "انتظار برای ذخیره‌گاه هم خواندن به شمار می‌آید: "
       "\u2068IO001\u2069 "
       "و "
       "\u2068IO002\u2069 "
       "را ببینید"},

      // What to do, where it is no flag.
      {"build against a libtorch with CUDA: {}",
       "با \u2068libtorch\u2069ی که CUDA دارد بسازید: {}"},
      {"reboot after the update of the driver",
       "پس از به‌روزرسانی راه‌انداز رایانه را از نو راه "
       "بیندازید"},
      {"sudo modprobe nvidia; in a container: {}", "\u2068sudo modprobe nvidia\u2069؛ در ظرف: {}"},
      {"cool the card: fans, dust, room between cards",
       "کارت را خنک کنید: پنکه، گرد، فاصلهٔ کارت‌ها"},
      {"sudo nvidia-smi -pl WATTS, up to what card and supply allow",
       "\u2068sudo nvidia-smi -pl WATTS\u2069، تا آنجا که کارت و تغذیه "
       "می‌توانند"},
      {"seat the card in a slot with all lanes; look for a limit in the firmware setup",
       "کارت را در شیاری با همهٔ خط‌ها بنشانید؛ در تنظیم "
       "سفت‌افزار "
       "پی "
       "محدودیت "
       "بگردید"},
      {"reset the card (sudo nvidia-smi -r) to replace the rows; when it happens again, replace "
       "the "
       "card",
       "کارت را بازنشانی کنید (\u2068sudo nvidia-smi -r\u2069) تا "
       "ردیف‌ها "
       "جایگزین "
       "شوند؛ "
       "اگر "
       "باز "
       "رخ داد کارت را عوض کنید"},
      {"reset the card or reboot", "کارت را بازنشانی کنید یا رایانه را از نو راه بیندازید"},
      {"reset the card (sudo nvidia-smi -r) or reboot; check power and seating when it happens "
       "again",
       "کارت را بازنشانی کنید (\u2068sudo nvidia-smi -r\u2069) یا رایانه را از نو راه بیندازید؛ "
       "اگر باز رخ داد تغذیه و جایش را ببینید"},
      {"stop them, or choose another card with --model-gpu",
       "آن‌ها را متوقف کنید، یا با \u2068--model-gpu\u2069 کارت "
       "دیگری "
       "برگزینید"},
      {"use one GPU (neither --data-gpu nor --model-gpu) where `qanat validate` finds that faster",
       "یک GPU به کار ببرید (نه \u2068--data-gpu\u2069 و نه \u2068--model-gpu\u2069) هر جا "
       "\u2068qanat validate\u2069 آن را تندتر یافت"},
      {"choose two cards of one socket: {}", "دو کارت از یک سوکت برگزینید: {}"},
      {"copy the data set to a local disk", "مجموعه را روی دیسک محلی رونوشت کنید"},
      {"copy the data set to a local disk, or read it into memory once: {}",
       "مجموعه را روی دیسک محلی رونوشت کنید، یا یک بار به حافظه بخوانید: {}"},
      {"mount the data set into the container: {}", "مجموعه را به ظرف متصل کنید: {}"},
      {"give the container more: {}, or {} in Kubernetes",
       "به ظرف بیشتر بدهید: {}، یا {} در \u2068Kubernetes\u2069"},
      {"stop the others, or keep them off: {} for them, a cpuset for this run",
       "دیگران را متوقف یا دور کنید: {} برای آن‌ها، و "
       "\u2068cpuset\u2069 "
       "برای "
       "این "
       "اجرا"},
      {"store the audio as 22050 Hz 16-bit WAV: nothing to resample",
       "صدا را \u206822050 Hz 16-bit WAV\u2069 نگه دارید: چیزی برای "
       "بازنمونه‌برداری "
       "نمی‌ماند"},
      {"free memory, or give the run more; a smaller pipeline.feature_cache and memory_budget take "
       "less",
       "حافظه آزاد کنید یا به اجرا بیشتر بدهید؛ \u2068pipeline.feature_cache\u2069 و "
       "\u2068memory_budget\u2069 کوچک‌تر کمتر می‌گیرند"},
      {"run elsewhere, or when the machine is free",
       "جای دیگر اجرا کنید، یا هنگامی که رایانه آزاد است"},
      {"find what else computes in this program: {}",
       "ببینید دیگر چه چیزی در این برنامه محاسبه می‌کند: "
       "{}"},
      {"store these files like the others (format, rate, disk), or leave them out; the journal "
       "lists "
       "the slowest",
       "این فایل‌ها را مانند دیگران نگه دارید (قالب، نرخ، "
       "دیسک) "
       "یا "
       "کنار "
       "بگذارید؛ "
       "کندترین‌ها "
       "در دفتر رویدادها هستند"},
      {"a faster link; qanat validate measures this one, and whether the other device should make "
       "the features",
       "پیوندی تندتر؛ \u2068qanat validate\u2069 این یکی را می‌سنجد، و این "
       "را "
       "که "
       "آیا "
       "دستگاه "
       "دیگر "
       "باید ویژگی‌ها را بسازد"},
      {"temperature", "دما"},
      {"power limit", "سقف توان"},
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
      {"{} of {} rows of the data set are not used",
       "{} از {} سطر مجموعهٔ داده به کار نمی‌رود"},
  });
  return kSentences;
}

}  // namespace qanat
