// What devices are, and why they cannot be had: still said as English text by their errors.
#include <array>

#include "report/persian.h"

namespace qanat {

std::span<const Translation> persian_validation_sentences() {
  static constexpr auto kSentences = std::to_array<Translation>({

      // What they saw.
      {"virtual GPU (emulated), {} core, {}",
       "GPU مجازی (شبیه‌سازی)، {} هسته، {}"},
      {"virtual GPU (emulated), {} cores, {}",
       "GPU مجازی (شبیه‌سازی)، {} هسته، {}"},
      {"CPU, {} core, {}", "پردازنده، {} هسته، {}"},
      {"CPU, {} cores, {}", "پردازنده، {} هسته، {}"},
      {"MB", "مگابایت"},
      {"memory not limited", "حافظه بی‌حد"},
      {"{}, {} MB, bus {}", "\u2068{}\u2069، {} مگابایت، گذرگاه \u2068{}\u2069"},
      {"{}, {} MB, limited to {} MB, bus {}",
       "\u2068{}\u2069، {} مگابایت، محدود به {} مگابایت، گذرگاه \u2068{}\u2069"},

      // Why they failed.
      {"the model is not on {}: {} MB are in use there, its weights alone take {}",
       "مدل روی \u2068{}\u2069 نیست: آن‌جا {} مگابایت در کار است، وزن‌هایش به‌تنهایی {} مگابایت می‌گیرند"},
      {"the model took {} MB on the data GPU; expected none",
       "مدل {} مگابایت از GPU داده گرفت؛ نباید هیچ می‌گرفت"},
      {"copy from {} to {}: the bytes that arrived are not those that were sent",
       "کپی از \u2068{}\u2069 به \u2068{}\u2069: بایت‌هایی که رسیدند آن‌هایی نیستند که فرستاده شدند"},
      {"the data GPU did nothing; expected it to make the features",
       "GPU داده کاری نکرد؛ باید ویژگی‌ها را می‌ساخت"},
      {"the loss of a short run: {}; expected a finite number; try `qanat data check`",
       "زیان یک اجرای کوتاه: \u2068{}\u2069؛ باید عددی متناهی باشد؛ \u2068qanat data check\u2069 را بیازمایید"},

      // Why devices cannot be had.
      {"--{} {} without --{}: both are needed for Multi-GPU Mode; try --data-gpu 0 --model-gpu 1, "
       "or neither for Single-GPU Buffered Mode",
       "\u2068--{} {}\u2069 بدون \u2068--{}\u2069: حالت \u2068Multi-GPU\u2069 هر دو را می‌خواهد؛ \u2068--data-gpu 0 --model-gpu 1\u2069 را "
       "بیازمایید، یا برای حالت \u2068Single-GPU Buffered\u2069 هیچ‌کدام را"},
      {"--data-gpu {} --model-gpu {}: GPU numbers start at 0; try --data-gpu 0 --model-gpu 1",
       "\u2068--data-gpu {} --model-gpu {}\u2069: شمارهٔ GPUها از ۰ آغاز می‌شود؛ \u2068--data-gpu 0 --model-gpu "
       "1\u2069 را بیازمایید"},
      {"--data-gpu {} --model-gpu {}: one GPU cannot be both; expected two different GPUs; try "
       "neither flag, for Single-GPU Buffered Mode",
       "\u2068--data-gpu {} --model-gpu {}\u2069: یک GPU نمی‌تواند هر دو باشد؛ دو GPU جدا لازم است؛ برای "
       "حالت \u2068Single-GPU Buffered\u2069 هیچ‌یک از دو پرچم را ندهید"},
      {"Insufficient GPUs for Multi-GPU Mode: asked for data GPU {} and model GPU {}; Multi-GPU "
       "requires at least 2 GPUs, found {}",
       "GPU برای حالت \u2068Multi-GPU\u2069 کم است: GPU داده {} و GPU مدل {} خواسته شد؛ این حالت دست‌کم ۲ "
       "GPU می‌خواهد، یافته‌شده: {}"},
      {"Insufficient GPUs for Multi-GPU Mode: asked for data GPU {} and model GPU {}; Multi-GPU "
       "requires at least 2 GPUs, found {} ({})",
       "GPU برای حالت \u2068Multi-GPU\u2069 کم است: GPU داده {} و GPU مدل {} خواسته شد؛ این حالت دست‌کم ۲ "
       "GPU می‌خواهد، یافته‌شده: {} ({})"},
      {"Insufficient GPUs for Multi-GPU Mode: asked for data GPU {} and model GPU {}; invalid "
       "{}={}, must be 0-{}",
       "GPU برای حالت \u2068Multi-GPU\u2069 کم است: GPU داده {} و GPU مدل {} خواسته شد؛ \u2068{}\u2069 نمی‌تواند {} "
       "باشد، باید از ۰ تا {} باشد"},
      {"{}; try the same command without --data-gpu and --model-gpu (Single-GPU Buffered Mode), "
       "--allow-fallback to do so by itself, or --virtual-gpus 2 to emulate two",
       "{}؛ همین فرمان را بدون \u2068--data-gpu\u2069 و \u2068--model-gpu\u2069 بیازمایید (حالت \u2068Single-GPU "
       "Buffered\u2069)، یا \u2068--allow-fallback\u2069 را تا خود چنین کند، یا \u2068--virtual-gpus 2\u2069 را تا دو GPU "
       "شبیه‌سازی شود"},
      {"Insufficient GPUs for Multi-GPU Mode: asked for data GPU {} and model GPU {}; Multi-GPU "
       "requires at least 2 GPUs, found {}; continuing in Single-GPU Buffered Mode "
       "(--allow-fallback)",
       "GPU برای حالت \u2068Multi-GPU\u2069 کم است: GPU داده {} و GPU مدل {} خواسته شد؛ این حالت دست‌کم ۲ "
       "GPU می‌خواهد، یافته‌شده: {}؛ در حالت \u2068Single-GPU Buffered\u2069 ادامه می‌دهد "
       "(\u2068--allow-fallback\u2069)"},
      {"Insufficient GPUs for Multi-GPU Mode: asked for data GPU {} and model GPU {}; Multi-GPU "
       "requires at least 2 GPUs, found {} ({}); continuing in Single-GPU Buffered Mode "
       "(--allow-fallback)",
       "GPU برای حالت \u2068Multi-GPU\u2069 کم است: GPU داده {} و GPU مدل {} خواسته شد؛ این حالت دست‌کم ۲ "
       "GPU می‌خواهد، یافته‌شده: {} ({})؛ در حالت \u2068Single-GPU Buffered\u2069 ادامه می‌دهد "
       "(\u2068--allow-fallback\u2069)"},
      {"Insufficient GPUs for Multi-GPU Mode: asked for data GPU {} and model GPU {}; invalid "
       "{}={}, must be 0-{}; continuing in Single-GPU Buffered Mode (--allow-fallback)",
       "GPU برای حالت \u2068Multi-GPU\u2069 کم است: GPU داده {} و GPU مدل {} خواسته شد؛ \u2068{}\u2069 نمی‌تواند {} "
       "باشد، باید از ۰ تا {} باشد؛ در حالت \u2068Single-GPU Buffered\u2069 ادامه می‌دهد "
       "(\u2068--allow-fallback\u2069)"},
      {"{}; continuing on the CPU", "{}؛ روی پردازنده ادامه می‌دهد"},
      {"{}; --allow-fallback goes on without GPUs",
       "{}؛ با \u2068--allow-fallback\u2069 بدون GPU ادامه می‌یابد"},
      {"no NVIDIA driver was found; expected its library libcuda.so.1; try `nvidia-smi`, which "
       "comes with the driver",
       "راه‌انداز NVIDIA یافت نشد؛ کتابخانه‌اش \u2068libcuda.so.1\u2069 لازم است؛ \u2068nvidia-smi\u2069 را بیازمایید "
       "که همراه راه‌انداز می‌آید"},
      {"the NVIDIA driver shows no GPU to this process; expected at least one; try `nvidia-smi`, "
       "and look at CUDA_VISIBLE_DEVICES",
       "راه‌انداز NVIDIA هیچ GPUای به این فرایند نشان نمی‌دهد؛ دست‌کم یکی لازم است؛ \u2068nvidia-smi\u2069 "
       "را بیازمایید و \u2068CUDA_VISIBLE_DEVICES\u2069 را ببینید"},
      {"the NVIDIA driver is too old: it can do CUDA {}; expected {} or newer, which this program "
       "was built with; try a newer driver",
       "راه‌انداز NVIDIA بیش از حد قدیمی است: تا CUDA نسخهٔ \u2068{}\u2069 را می‌تواند؛ نسخهٔ \u2068{}\u2069 یا تازه‌تر "
       "لازم است که این برنامه با آن ساخته شده؛ راه‌انداز تازه‌تری بیازمایید"},
      {"the NVIDIA driver cannot be used ({}); expected a library and a kernel module of the same "
       "version; try a reboot after an update of the driver, and take folders named stubs out of "
       "LD_LIBRARY_PATH",
       "راه‌انداز NVIDIA به کار نمی‌آید (\u2068{}\u2069)؛ کتابخانه و پودمان هسته باید از یک نسخه باشند؛ پس "
       "از به‌روزرسانی راه‌انداز رایانه را از نو راه بیندازید و پوشه‌های \u2068stubs\u2069 را از "
       "\u2068LD_LIBRARY_PATH\u2069 بردارید"},
      {"CUDA does not start ({}, code {}); expected GPUs that answer; try `nvidia-smi`",
       "CUDA راه نمی‌افتد (\u2068{}\u2069، کد {})؛ GPUهایی لازم است که پاسخ دهند؛ \u2068nvidia-smi\u2069 را بیازمایید"},
  });
  return kSentences;
}

}  // namespace qanat
