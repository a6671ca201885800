// Golden files: what a report says of a sample, word for word, in tests/golden. A change of words
// or layout shows there as a difference that is read; QANAT_WRITE_GOLDEN=1 rewrites the files.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace qanat {

// QANAT_GOLDEN is the folder; see qanat_golden_tests() in cmake/module.cmake.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(QANAT_GOLDEN) / name;
  if (std::getenv("QANAT_WRITE_GOLDEN") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; QANAT_WRITE_GOLDEN=1 writes it";
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << "the golden file is " << path;
}

// A page without what is the same on all pages: its style and script.
inline std::string page_body(const std::string& html) {
  const std::size_t begin = html.find("<body>");
  const std::size_t end = html.find("<script", begin);
  return html.substr(begin, end == std::string::npos ? end : end - begin);
}

}  // namespace qanat
