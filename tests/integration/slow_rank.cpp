// For LD_PRELOAD: storage that answers late, or a processor that computes slowly. Every recording
// opens QANAT_SLOW_FILES_MS later, every sixteenth product of matrices ends QANAT_SLOW_PRODUCTS_MS
// later. They sleep, so that other programs are no slower.
#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include <dlfcn.h>
#include <linux/fcntl.h>  // not the one that declares open() with other names
#include <sys/types.h>

namespace {

using OpenFn = int (*)(const char*, int, ...);

OpenFn next(const char* name) {
  return reinterpret_cast<OpenFn>(::dlsym(RTLD_NEXT, name));
}

void sleep_for(const char* variable) {
  const char* const given = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  const long milliseconds = given != nullptr ? std::strtol(given, nullptr, 10) : 0;
  timespec left{.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1'000'000};
  while (::nanosleep(&left, &left) != 0) {
  }
}

void delay(std::string_view path) {
  if (path.ends_with(".wav")) {
    sleep_for("QANAT_SLOW_FILES_MS");
  }
}

using ProductFn = void (*)(const char*,
                           const char*,
                           const int*,
                           const int*,
                           const int*,
                           const float*,
                           const float*,
                           const int*,
                           const float*,
                           const int*,
                           const float*,
                           float*,
                           const int*);

mode_t mode_in(int flags, va_list more) {
  return (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
}

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
  static const OpenFn real = next("open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_in(flags, more);
  va_end(more);
  delay(path);
  return real(path, flags, mode);
}

extern "C" int open64(const char* path, int flags, ...) {
  static const OpenFn real = next("open64");
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_in(flags, more);
  va_end(more);
  delay(path);
  return real(path, flags, mode);
}

// As BLAS declares it.
// NOLINTNEXTLINE(readability-identifier-naming,readability-function-size)
extern "C" void sgemm_(const char* transpose_a,
                       const char* transpose_b,
                       const int* m,
                       const int* n,
                       const int* k,
                       const float* alpha,
                       const float* a,
                       const int* lda,
                       const float* b,
                       const int* ldb,
                       const float* beta,
                       float* c,
                       const int* ldc) {
  static const auto real = reinterpret_cast<ProductFn>(::dlsym(RTLD_NEXT, "sgemm_"));
  static std::atomic<unsigned> products = 0;
  real(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (products.fetch_add(1) % 16 == 0) {
    sleep_for("QANAT_SLOW_PRODUCTS_MS");
  }
}
