#include "capi/python.h"

#include <dlfcn.h>

namespace qanat {
namespace {

template <typename Pointer>
bool find_symbol(Pointer& pointer, const char* name) {
  pointer = reinterpret_cast<Pointer>(::dlsym(RTLD_DEFAULT, name));
  return pointer != nullptr;
}

struct FoundPython {
  Python python{};
  bool complete = false;

  FoundPython() {
    complete = find_symbol(python.new_function, "PyCFunction_NewEx") &&
               find_symbol(python.new_capsule, "PyCapsule_New") &&
               find_symbol(python.capsule_pointer, "PyCapsule_GetPointer") &&
               find_symbol(python.is_capsule, "PyCapsule_IsValid") &&
               find_symbol(python.build, "Py_BuildValue") &&
               find_symbol(python.drop, "Py_DecRef") &&
               find_symbol(python.new_list, "PyList_New") &&
               find_symbol(python.set_item, "PyList_SetItem") &&
               find_symbol(python.new_int, "PyLong_FromLong") &&
               find_symbol(python.new_text, "PyUnicode_DecodeUTF8") &&
               find_symbol(python.to_int, "PyLong_AsLong") &&
               find_symbol(python.set_error, "PyErr_SetString") &&
               find_symbol(python.release_lock, "PyEval_SaveThread") &&
               find_symbol(python.take_lock, "PyEval_RestoreThread") &&
               find_symbol(python.value_error, "PyExc_ValueError");
  }
};

}  // namespace

const Python* Python::find() {
  static const FoundPython found;
  return found.complete ? &found.python : nullptr;
}

}  // namespace qanat
