#include "store/curl_library.h"

#include <string>

#include <dlfcn.h>

#include "locale/message_error.h"
#include "locale/messages/stores.h"

namespace qanat {
namespace {

template <typename Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<CurlFunctions> open_curl() {
  // The second is what Debian calls the one with GnuTLS.
  void* library = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    library = ::dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  }
  CurlFunctions f;
  const bool is_whole = library != nullptr &&
                        find_function(library, "curl_global_init", f.global_init) &&
                        find_function(library, "curl_easy_init", f.easy_init) &&
                        find_function(library, "curl_easy_cleanup", f.easy_cleanup) &&
                        find_function(library, "curl_easy_reset", f.easy_reset) &&
                        find_function(library, "curl_easy_perform", f.easy_perform) &&
                        find_function(library, "curl_easy_strerror", f.easy_strerror) &&
                        find_function(library, "curl_easy_setopt", f.easy_setopt) &&
                        find_function(library, "curl_easy_getinfo", f.easy_getinfo) &&
                        find_function(library, "curl_slist_append", f.slist_append) &&
                        find_function(library, "curl_slist_free_all", f.slist_free_all);
  if (!is_whole || f.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return to_failure(msg::store_no_library{});
  }
  return f;
}

}  // namespace

Result<const CurlFunctions*> load_curl() {
  // The library has state of its own that is set up once in a process.
  static const Result<CurlFunctions> loaded = open_curl();
  return loaded ? Result<const CurlFunctions*>(&loaded.value()) : loaded.failure();
}

}  // namespace qanat
