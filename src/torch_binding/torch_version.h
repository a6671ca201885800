// Which libtorch this program was built with, for reports that do not include it.
#pragma once

#include <string>

namespace qanat {

std::string torch_version();   // "1.13.1"
bool torch_built_with_cuda();  // whether or not there is a driver

}  // namespace qanat
