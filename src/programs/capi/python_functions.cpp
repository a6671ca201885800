#include "capi/python_functions.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "capi/batch_arrays.h"
#include "capi/loader_session.h"
#include "capi/python.h"
#include "capi/status.h"

namespace qanat {
namespace {

constexpr const char* kSession = "qanat.session";
constexpr const char* kLease = "qanat.lease";
// Python looks at signals (Ctrl-C) after a wait.
constexpr Seconds kPythonWait{0.1};

struct Taken {
  qanat_status status = QANAT_TIMEOUT;
  SharedBatch batch;
  std::unique_ptr<char[]> why;  // NOLINT(modernize-avoid-c-arrays): what current_failure() gives
};

Taken take_within(LoaderSession& session, Seconds timeout) noexcept {
  Taken taken;
  try {
    taken.batch = session.take(timeout);
    taken.status = taken.batch ? QANAT_OK : QANAT_TIMEOUT;
  } catch (...) {
    char* why = nullptr;
    taken.status = current_failure(&why);
    taken.why.reset(why);
  }
  return taken;
}

void drop_lease(void* capsule) {
  delete static_cast<SharedBatch*>(Python::find()->capsule_pointer(capsule, kLease));
}

void* lease_of(const Python& python, SharedBatch batch) {
  auto* kept = new (std::nothrow) SharedBatch(std::move(batch));
  void* lease = python.new_capsule(kept, kLease, drop_lease);  // an error for null
  if (lease == nullptr) {
    delete kept;
  }
  return lease;
}

// Nothing throws here: Python may end this thread where it takes the lock, as an exception that
// nobody may catch.
void* python_take(void* self, void* /*nothing*/) {
  const Python& python = *Python::find();
  auto* session = static_cast<LoaderSession*>(python.capsule_pointer(self, kSession));
  if (session == nullptr) {
    return nullptr;
  }
  if (session->owner() != ::getpid()) {  // no thread of the loader's is in this process
    return python.build("(z(iy)i)", nullptr, static_cast<int>(QANAT_INVALID), nullptr, 0);
  }
  // With the lock at first: a thread that gives it up may have to wait for it.
  Taken taken = take_within(*session, Seconds{0});
  if (taken.status == QANAT_TIMEOUT) {
    void* thread = python.release_lock();
    taken = take_within(*session, kPythonWait);
    python.take_lock(thread);
  }
  if (taken.status == QANAT_TIMEOUT) {
    return python.build("");  // None
  }
  if (taken.status != QANAT_OK) {
    return python.build("(z(iy)i)", nullptr, static_cast<int>(taken.status), taken.why.get(), 0);
  }
  const BatchId id = taken.batch->id();
  const int bad_rows = taken.batch->bad_rows();
  return python.build("(N(LL)i)",
                      lease_of(python, std::move(taken.batch)),
                      static_cast<long long>(id.epoch),
                      static_cast<long long>(id.index),
                      bad_rows);
}

// The arguments (lease, field, ...) of a call.
struct LeasedField {
  const Python* python = Python::find();
  const SharedBatch* batch = nullptr;  // null: an error is set
  qanat_field field{};

  LeasedField(void* const* values, std::ptrdiff_t count, std::ptrdiff_t expected) {
    const long number = count == expected ? python->to_int(values[1]) : -1;
    if (number < 0 || number >= QANAT_NUM_FIELDS) {
      python->set_error(*python->value_error, "expected a lease and the number of an array");
      return;
    }
    field = static_cast<qanat_field>(number);
    batch = static_cast<const SharedBatch*>(python->capsule_pointer(values[0], kLease));
  }

  qanat_array array() const { return array_of(**batch, field); }
};

void* python_layout(void* /*self*/, void* const* values, std::ptrdiff_t count) {
  const LeasedField of(values, count, 2);
  if (of.batch == nullptr) {
    return nullptr;
  }
  const qanat_array array = of.array();
  if (array.data == nullptr) {
    return of.python->build("");
  }
  constexpr std::array<const char*, 3> kFormats{"(ni(L))", "(ni(LL))", "(ni(LLL))"};
  return of.python->build(kFormats[static_cast<std::size_t>(array.dimensions - 1)],
                          reinterpret_cast<std::ptrdiff_t>(array.data),
                          static_cast<int>(array.type),
                          static_cast<long long>(array.shape[0]),
                          static_cast<long long>(array.shape[1]),
                          static_cast<long long>(array.shape[2]));
}

void* python_values(void* /*self*/, void* const* values, std::ptrdiff_t count) {
  const LeasedField of(values, count, 2);
  if (of.batch == nullptr) {
    return nullptr;
  }
  const qanat_array array = of.array();
  if (array.data == nullptr || array.type != QANAT_I32 || array.dimensions != 1) {
    of.python->set_error(*of.python->value_error, "expected an array of numbers, one for each row");
    return nullptr;
  }
  const std::span numbers(static_cast<const std::int32_t*>(array.data),
                          static_cast<std::size_t>(array.shape[0]));
  void* list = of.python->new_list(std::ssize(numbers));
  for (std::ptrdiff_t i = 0; list != nullptr && i < std::ssize(numbers); ++i) {
    of.python->set_item(list, i, of.python->new_int(numbers[static_cast<std::size_t>(i)]));
  }
  return list;
}

// What `make` makes of the batch and the field, or null and an error.
template <typename Make>
void* made_of(const LeasedField& of, Make make) {
  if (of.batch == nullptr) {
    return nullptr;
  }
  void* capsule = nullptr;
  try {
    capsule = make(*of.batch, of.field);
  } catch (...) {
    of.python->set_error(*of.python->value_error, "no memory is left");
    return nullptr;
  }
  if (capsule == nullptr) {
    of.python->set_error(*of.python->value_error, "this batch has no such array");
  }
  return capsule;
}

void* python_tensor(void* /*self*/, void* const* values, std::ptrdiff_t count) {
  const LeasedField of(values, count, 3);
  return made_of(of, [&](const SharedBatch& batch, qanat_field field) {
    return make_capsule(batch, field, static_cast<int>(of.python->to_int(values[2])));
  });
}

void* python_array_struct(void* /*self*/, void* const* values, std::ptrdiff_t count) {
  return made_of(LeasedField(values, count, 2), [](const SharedBatch& batch, qanat_field field) {
    return make_array_struct(*batch, field);
  });
}

// Returns the texts of a batch's rows. Nothing is opened or waited for: the set is in memory.
void* python_texts(void* self, void* const* values, std::ptrdiff_t count) {
  const Python& python = *Python::find();
  auto* session = static_cast<LoaderSession*>(python.capsule_pointer(self, kSession));
  if (session == nullptr || count != 1) {
    python.set_error(*python.value_error, "expected a lease");
    return nullptr;
  }
  const auto* batch = static_cast<const SharedBatch*>(python.capsule_pointer(values[0], kLease));
  if (batch == nullptr) {
    return nullptr;
  }
  const std::span<const std::uint32_t> items = std::as_const(**batch).items();
  void* list = python.new_list(std::ssize(items));
  try {
    for (std::ptrdiff_t i = 0; list != nullptr && i < std::ssize(items); ++i) {
      const std::string_view text = session->text_of(items[static_cast<std::size_t>(i)]);
      python.set_item(list, i, python.new_text(text.data(), std::ssize(text), "replace"));
    }
  } catch (...) {  // an array that a transform wrote to holds no positions any more
    python.drop(list);
    python.set_error(*python.value_error, "the items of this batch are not those of its data set");
    return nullptr;
  }
  return list;
}

PythonMethod method_of(const char* name, void* function, int flags, const char* doc) {
  return {.name = name, .function = function, .flags = flags, .doc = doc};
}

}  // namespace

void* make_python_functions(LoaderSession& session) {
  // Python refers to them as long as there are functions made of them.
  static PythonMethod take = method_of(
      "take", reinterpret_cast<void*>(python_take), kPythonNoArguments, "The next batch.");
  static PythonMethod layout = method_of("layout",
                                         reinterpret_cast<void*>(python_layout),
                                         kPythonArguments,
                                         "Where an array lies, and its shape.");
  static PythonMethod numbers = method_of(
      "values", reinterpret_cast<void*>(python_values), kPythonArguments, "A list of numbers.");
  static PythonMethod tensor = method_of(
      "tensor", reinterpret_cast<void*>(python_tensor), kPythonArguments, "A DLPack capsule.");
  static PythonMethod array_struct = method_of("array_struct",
                                               reinterpret_cast<void*>(python_array_struct),
                                               kPythonArguments,
                                               "A capsule for __array_struct__.");
  static PythonMethod texts = method_of("texts",
                                        reinterpret_cast<void*>(python_texts),
                                        kPythonArguments,
                                        "The texts of the rows of a batch.");
  const Python* python = Python::find();
  if (python == nullptr) {
    return nullptr;
  }
  void* self = python->new_capsule(&session, kSession, nullptr);
  if (self == nullptr) {
    return nullptr;
  }
  void* functions = python->build("(NNNNNN)",
                                  python->new_function(&take, self, nullptr),
                                  python->new_function(&layout, nullptr, nullptr),
                                  python->new_function(&numbers, nullptr, nullptr),
                                  python->new_function(&tensor, nullptr, nullptr),
                                  python->new_function(&array_struct, nullptr, nullptr),
                                  python->new_function(&texts, self, nullptr));
  python->drop(self);  // `take` and `texts` have it
  return functions;
}

}  // namespace qanat
