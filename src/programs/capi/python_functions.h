// What the Python package calls for every batch, as built-in functions of Python: a call by ctypes
// touches so much more code and memory that, between two workers that fill the caches, it costs a
// multiple.
#pragma once

namespace qanat {

class LoaderSession;

// A new reference to a tuple of functions; `qanat.h` describes them. They refer to `session`, which
// has to outlive them. Null without a Python, or with an error set in it.
void* make_python_functions(LoaderSession& session);

}  // namespace qanat
