// Functions of the Python that this library was loaded into. They are found by name: one library
// serves every Python, its headers are no part of the build, and programs without a Python can load
// it, too. All are of the stable ABI.
#pragma once

#include <cstddef>

namespace qanat {

// PyMethodDef.
struct PythonMethod {
  const char* name = nullptr;
  void* function = nullptr;
  int flags = 0;
  const char* doc = nullptr;
};

inline constexpr int kPythonNoArguments = 0x0004;  // METH_NOARGS: function(self, nothing)
inline constexpr int kPythonArguments = 0x0080;    // METH_FASTCALL: function(self, values, count)

// Objects are void*. Whoever calls holds Python's lock.
struct Python {
  void* (*new_function)(PythonMethod* method, void* self, void* module);
  void* (*new_capsule)(void* pointer, const char* name, void (*drop)(void* capsule));
  void* (*capsule_pointer)(void* capsule, const char* name);
  int (*is_capsule)(void* capsule, const char* name);
  void* (*build)(const char* format, ...);  // Py_BuildValue
  void (*drop)(void* object);               // Py_DecRef
  void* (*new_list)(std::ptrdiff_t size);
  int (*set_item)(void* list, std::ptrdiff_t at, void* value);  // takes the reference to `value`
  void* (*new_int)(long value);
  // PyUnicode_DecodeUTF8.
  void* (*new_text)(const char* utf8, std::ptrdiff_t size, const char* errors);
  long (*to_int)(void* value);  // -1 and an error when it is none
  void (*set_error)(void* kind, const char* text);
  void* (*release_lock)();  // PyEval_SaveThread; does not return where Python ends meanwhile
  void (*take_lock)(void* thread);
  void** value_error;

  // Null in a process without Python.
  static const Python* find();
};

}  // namespace qanat
