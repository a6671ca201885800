// The words of the report on a data set, and of what can be wrong with one.
#include <array>

#include "report/persian.h"

namespace qanat {

std::span<const Translation> persian_dataset_sentences() {
  static constexpr auto kSentences = std::to_array<Translation>({
      // What is in the set.
      {"Data set {}", "مجموعه‌دادهٔ \u2068{}\u2069"},
      {"manifest", "فهرست"},
      {"rows (of a manifest)", "سطرها"},
      {"usable", "به‌کاربردنی"},
      {"for training", "برای آموزش"},
      {"for validation", "برای اعتبارسنجی"},
      {"speakers", "گوینده‌ها"},
      {"languages", "زبان‌ها"},
      {"audio", "صوت"},
      {"clip length", "طول قطعه‌ها"},
      {"speaking pace", "تندی گفتار"},
      {"limits", "حدها"},
      {"unknown characters", "نویسه‌های ناشناخته"},
      {"looked at", "بررسی‌شده"},
      {"{} utterance, {}", "{} گفته، {}"},
      {"{} utterances, {}", "{} گفته، {}"},
      {"and {} more", "و {} تای دیگر"},
      {"and {} more; --all lists them",
       "و {} تای دیگر؛ \u2068--all\u2069 همه را فهرست می‌کند"},
      {"the manifest names none", "فهرست نامی نمی‌برد"},
      {"{} Hz mono", "{} هرتز تک‌کاناله"},
      {"{} Hz stereo", "{} هرتز دوکاناله"},
      {"{} Hz {} channels", "{} هرتز {} کاناله"},
      {"{} s shortest, {} s median, {} s mean, {} s p95, {} s longest",
       "کوتاه‌ترین {} ثانیه، میانه {} ثانیه، میانگین {} "
       "ثانیه، "
       "p95 "
       "{} "
       "ثانیه، "
       "بلندترین "
       "{} "
       "ثانیه"},
      {"{} characters per second (median)", "{} نویسه در ثانیه (میانه)"},
      {"at most {} tokens and {} frames ({} s), at least {} s",
       "حداکثر {} نشانه و {} قاب ({} ثانیه)، دست‌کم {} ثانیه"},
      {"manifest, text, audio headers and every sample",
       "فهرست، متن، سرایند صوت‌ها و تک‌تک نمونه‌ها"},
      {"manifest, text and audio headers; not the samples (--quick)",
       "فهرست، متن و سرایند صوت‌ها؛ نه نمونه‌ها "
       "(\u2068--quick\u2069)"},
      {"Clips by length", "قطعه‌ها بر پایهٔ طول"},

      // The page.
      {"How many clips are how long", "چند قطعه چه طولی دارند"},
      {"Speakers", "گوینده‌ها"},
      {"{} speakers, most speech first", "{} گوینده، پرگفتارترین در آغاز"},
      {"Speaker", "گوینده"},
      {"Utterances", "گفته‌ها"},
      {"Speech", "گفتار"},
      {"Line", "سطر"},
      {"File", "فایل"},
      {"What", "چه"},
      {"Text", "متن"},
      {"Made by qanat data check.", "ساختهٔ \u2068qanat data check\u2069."},

      // What follows.
      {"Errors: these would not be used",
       "خطاها: این‌ها به کار نمی‌روند"},
      {"Warnings: these are used; look at them",
       "هشدارها: این‌ها به کار می‌روند؛ نگاهشان کنید"},
      {"Notes", "یادداشت‌ها"},
      {"All {} rows can be used.", "هر {} سطر به کار می‌رود."},
      {"All {} rows can be used; {} warning.",
       "هر {} سطر به کار می‌رود؛ {} هشدار."},
      {"All {} rows can be used; {} warnings.",
       "هر {} سطر به کار می‌رود؛ {} هشدار."},
      {"{} of {} rows ({} %) would not be used.",
       "{} از {} سطر ({}٪) به کار نمی‌رود."},
      {"{} of {} rows ({} %) would not be used; {} warning.",
       "{} از {} سطر ({}٪) به کار نمی‌رود؛ {} هشدار."},
      {"{} of {} rows ({} %) would not be used; {} warnings.",
       "{} از {} سطر ({}٪) به کار نمی‌رود؛ {} هشدار."},
      {"This set cannot be used", "این مجموعه به کار نمی‌آید"},
      {"{}: no such data set; expected a folder with {} or a manifest file",
       "\u2068{}\u2069: چنین مجموعه‌داده‌ای نیست؛ پوشه‌ای با "
       "\u2068{}\u2069 "
       "یا "
       "یک "
       "فایل "
       "فهرست "
       "لازم "
       "است"},
      {"{}: no rows; expected lines of the form id|text",
       "\u2068{}\u2069: سطری ندارد؛ سطرهایی به شکل \u2068id|text\u2069 لازم است"},
      {"{}: none of {} rows can be used; the first problem is in line {}: {} ({})",
       "\u2068{}\u2069: از {} سطر هیچ‌یک به کار نمی‌رود؛ نخستین "
       "مشکل "
       "در "
       "سطر "
       "{} "
       "است: "
       "{} "
       "({})"},
      {"{}: none of {} utterances can be used",
       "\u2068{}\u2069: از {} گفته هیچ‌یک به کار نمی‌رود"},
      {"{}: the {} set is empty: of {} usable utterances {} are for training and {} for validation",
       "\u2068{}\u2069: مجموعهٔ {} خالی است: از {} گفتهٔ "
       "به‌کاربردنی "
       "{} "
       "برای "
       "آموزش "
       "و "
       "{} "
       "برای "
       "اعتبارسنجی است"},
      {"{}; expected usable rows in both metadata_train.csv and metadata_eval.csv",
       "{}؛ هم در \u2068metadata_train.csv\u2069 و هم در \u2068metadata_eval.csv\u2069 سطر "
       "به‌کاربردنی لازم است"},
      {"{}; expected at least 2", "{}؛ دست‌کم ۲ گفته لازم است"},
      {"{} at val_split {}; try val_split {}, or rows in a metadata_eval.csv",
       "{}، با \u2068val_split\u2069 برابر {}؛ \u2068val_split\u2069 برابر {} را بیازمایید، یا "
       "سطرهایی در یک \u2068metadata_eval.csv\u2069"},
      {"{}: no manifest; expected {}, or {} and {}, beside the folder wavs",
       "\u2068{}\u2069: فهرستی نیست؛ \u2068{}\u2069، یا \u2068{}\u2069 و \u2068{}\u2069، کنار "
       "پوشهٔ \u2068wavs\u2069 لازم است"},
      {"{}: UTF-16; expected UTF-8; try iconv -f utf-16 -t utf-8",
       "\u2068{}\u2069: UTF-16 است؛ باید UTF-8 باشد؛ \u2068iconv -f utf-16 -t utf-8\u2069 را "
       "بیازمایید"},
      {"{}: holds zero bytes; expected UTF-8 text",
       "\u2068{}\u2069: بایت‌های صفر دارد؛ باید متن UTF-8 باشد"},

      // Kinds of problems: their names on the page, and what they are.
      {"Wrong columns", "ستون‌های نادرست"},
      {"Invalid UTF-8", "UTF-8 نادرست"},
      {"Bad id", "شناسهٔ نادرست"},
      {"Empty text", "متن خالی"},
      {"Unknown language", "زبان ناشناخته"},
      {"Duplicate id", "شناسهٔ تکراری"},
      {"Missing audio", "نبودن صوت"},
      {"Unreadable audio", "صوت ناخواندنی"},
      {"Untokenizable text", "متن بی‌نشانه"},
      {"Text too long", "متن بیش از حد بلند"},
      {"Audio too long", "صوت بیش از حد بلند"},
      {"Audio too short", "صوت بیش از حد کوتاه"},
      {"More tokens than frames", "نشانه‌ها بیش از قاب‌ها"},
      {"Damaged audio", "صوت آسیب‌دیده"},
      {"Silence", "سکوت"},
      {"Clipping", "بریدگی دامنه"},
      {"Repeated audio", "صوت تکراری"},
      {"Unusual pace", "تندی نامعمول"},
      {"Unknown characters", "نویسه‌های ناشناخته"},
      {"Other rate", "نرخ دیگر"},
      {"Several channels", "چند کانال"},
      {"Unused column", "ستون بی‌کاربرد"},
      {"Unused file", "فایل بی‌کاربرد"},
      {"the row does not have the columns it should; rows are id|text or id|text|normalised",
       "سطر ستون‌هایی را که باید ندارد؛ سطرها به شکل "
       "\u2068id|text\u2069 "
       "یا "
       "\u2068id|text|normalised\u2069 هستند"},
      {"the row is not UTF-8; convert the file, e.g. iconv -f windows-1252 -t utf-8",
       "سطر UTF-8 نیست؛ فایل را تبدیل کنید، مثلاً با \u2068iconv -f windows-1252 -t utf-8\u2069"},
      {"the id does not name a file inside the data set",
       "شناسه فایلی درون مجموعه‌داده را نام نمی‌برد"},
      {"the row has no text", "سطر متن ندارد"},
      {"the language column is neither en nor fa",
       "ستون زبان نه \u2068en\u2069 است و نه \u2068fa\u2069"},
      {"the id was seen before; the first row is used",
       "شناسه پیش‌تر آمده است؛ سطر نخست به کار می‌رود"},
      {"there is no audio file for the id, in wavs/ or beside the manifest",
       "برای این شناسه نه در \u2068wavs/\u2069 فایل صوتی هست و نه کنار فهرست"},
      {"the audio file's header cannot be read",
       "سرایند فایل صوتی خوانده نمی‌شود"},
      {"the text yields no tokens",
       "از متن هیچ نشانه‌ای به دست نمی‌آید"},
      {"the text has more tokens than --max-text-length; it is left out, never cut",
       "نشانه‌های متن بیش از \u2068--max-text-length\u2069 است؛ کنار "
       "گذاشته "
       "می‌شود "
       "و "
       "هرگز "
       "بریده "
       "نمی‌شود"},
      {"the audio has more frames than --max-mel-frames; it is left out, never cut",
       "قاب‌های صوت بیش از \u2068--max-mel-frames\u2069 است؛ کنار "
       "گذاشته "
       "می‌شود "
       "و "
       "هرگز "
       "بریده "
       "نمی‌شود"},
      {"the audio is shorter than --min-seconds",
       "صوت کوتاه‌تر از \u2068--min-seconds\u2069 است"},
      {"there are more tokens than mel frames: nobody speaks this fast; text and audio differ",
       "نشانه‌ها بیش از قاب‌های mel‌اند: هیچ‌کس به این "
       "تندی "
       "سخن "
       "نمی‌گوید؛ "
       "متن "
       "و "
       "صوت "
       "یکی "
       "نیستند"},
      {"the header is fine but the samples cannot be decoded",
       "سرایند درست است اما نمونه‌ها رمزگشایی نمی‌شوند"},
      {"all of the clip is silent, or more than a second at one of its ends",
       "همهٔ قطعه سکوت است، یا بیش از یک ثانیه در یکی از دو سرش"},
      {"the recording was driven into its limits",
       "صدا هنگام ضبط بیش از اندازه بلند بوده و دامنه‌اش "
       "بریده "
       "شده "
       "است"},
      {"another utterance has the very same audio file", "گفتهٔ دیگری درست همین فایل صوتی را دارد"},
      {"characters per second far from the rest of the set; text and audio may not belong together",
       "شمار نویسه‌ها در ثانیه از باقی مجموعه بسیار دور "
       "است؛ "
       "شاید "
       "متن "
       "و "
       "صوت "
       "از "
       "آنِ "
       "هم "
       "نباشند"},
      {"the text holds characters the tokenizer does not know; they are not spoken",
       "متن نویسه‌هایی دارد که نشانه‌ساز نمی‌شناسد؛ "
       "این‌ها "
       "خوانده "
       "نمی‌شوند"},
      {"another sample rate than the model's; resampled on the fly",
       "نرخ نمونه‌برداری جز نرخ مدل است؛ هنگام خواندن "
       "بازنمونه‌برداری "
       "می‌شود"},
      {"more than one channel; mixed down on the fly",
       "بیش از یک کانال دارد؛ هنگام خواندن تک‌کاناله "
       "می‌شود"},
      {"a column of the header that is not used",
       "ستونی از سطر عنوان که به کار نمی‌رود"},
      {"a manifest that is not read because another one is",
       "فهرستی که خوانده نمی‌شود، چون دیگری خوانده شده "
       "است"},

      // What was seen of each.
      {"{} column; expected {}", "{} ستون؛ باید {} باشد"},
      {"{} columns; expected {}", "{} ستون؛ باید {} باشد"},
      {"{} column; expected {} to {}", "{} ستون؛ باید {} تا {} باشد"},
      {"{} columns; expected {} to {}", "{} ستون؛ باید {} تا {} باشد"},
      {"{} column; expected {}, separated by '|'",
       "{} ستون؛ باید {} باشد، جداشده با \u2068'|'\u2069"},
      {"{} column; expected {} to {}, separated by '|'",
       "{} ستون؛ باید {} تا {} باشد، جداشده با \u2068'|'\u2069"},
      {"byte {} at {}", "بایت \u2068{}\u2069 در جای {}"},
      {"id: empty", "شناسه: خالی"},
      {"id: holds a control character", "شناسه: نویسهٔ کنترلی دارد"},
      {"id: {}; expected a name inside the data set; try an absolute path for a file elsewhere",
       "شناسه: \u2068{}\u2069؛ باید نامی درون مجموعه‌داده باشد؛ "
       "برای "
       "فایلی "
       "در "
       "جای "
       "دیگر "
       "مسیر "
       "کامل "
       "بدهید"},
      {"text: empty", "متن: خالی"},
      {"text: nothing to read in \"{}\"; expected English or Persian words",
       "متن: در «\u2068{}\u2069» چیزی برای خواندن نیست؛ "
       "واژه‌های "
       "انگلیسی "
       "یا "
       "فارسی "
       "لازم "
       "است"},
      {"language: {}; expected en or fa",
       "زبان: \u2068{}\u2069؛ باید \u2068en\u2069 یا \u2068fa\u2069 باشد"},
      {"first seen in {} line {}", "نخستین بار در \u2068{}\u2069 سطر {}"},
      {"audio: {}; no such file", "صوت: \u2068{}\u2069؛ چنین فایلی نیست"},
      {"audio: {} s, {} frames; expected at most {}", "صوت: {} ثانیه، {} قاب؛ باید حداکثر {} باشد"},
      {"audio: {} s; expected at least {}",
       "صوت: {} ثانیه؛ باید دست‌کم {} باشد"},
      {"audio: the same as {}", "صوت: همان صوتِ \u2068{}\u2069"},
      {"text: {} tokens; expected at most {}", "متن: {} نشانه؛ باید حداکثر {} باشد"},
      {"text: {} tokens for {} frames", "متن: {} نشانه برای {} قاب"},
      {"samples: {} are no numbers", "نمونه‌ها: {} نمونه عدد نیست"},
      {"sound: none above -60 dB", "صدا: هیچ صدایی بالاتر از \u2068-60 dB\u2069 نیست"},
      {"silence: {} s before and {} s after the speech",
       "سکوت: {} ثانیه پیش از گفتار و {} ثانیه پس از آن"},
      {"clipping: {} % of the samples", "بریدگی دامنه: {}٪ از نمونه‌ها"},
      {"pace: {} characters per second; usual is {}", "تندی: {} نویسه در ثانیه؛ معمول {} است"},
      {"characters: {}", "نویسه‌ها: \u2068{}\u2069"},
      {"rate: {} Hz; expected {}", "نرخ: {} هرتز؛ باید {} باشد"},
      {"channels: {}", "کانال‌ها: {}"},
      {"column: {}", "ستون: \u2068{}\u2069"},
      {"{}: not read; {} is", "\u2068{}\u2069: خوانده نشد؛ \u2068{}\u2069 خوانده شد"},
  });
  return kSentences;
}

}  // namespace qanat
