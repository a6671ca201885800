// libcurl, loaded when the first URL is opened. A program that reads files only does not need it,
// and what is installed brings its own certificates and its own security updates.
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace qanat {

// Its functions, as <curl/curl.h> declares them.
struct CurlFunctions {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_reset) easy_reset = nullptr;
  decltype(&::curl_easy_perform) easy_perform = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  CURLcode (*easy_setopt)(CURL*, CURLoption, ...) = nullptr;
  CURLcode (*easy_getinfo)(CURL*, CURLINFO, ...) = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
};

// Stays loaded. Thread-safe. Failure: it is not there, or not whole.
Result<const CurlFunctions*> load_curl();

}  // namespace qanat
